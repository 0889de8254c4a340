"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { Json } from "@/lib/resource";
import { type Path, pathKey } from "../document";
import { type Problem, problemsAt } from "../problems";
import { sentenceOf } from "./label";

/** What every field of the form needs of the one document. */
export interface FormModel {
  /** The document's value. */
  value: Json;
  /** Edits the text; the function gets the newest text, so that two edits in a row both count. */
  edit: (change: (text: string) => string) => void;
  problems: readonly Problem[];
  touch: (path: Path) => void;
  touched: ReadonlySet<string>;
  /** Fields complain about being empty only once a person has been in them, or once all are asked for. */
  attempted: boolean;
  readOnly: boolean;
  secretFields: readonly string[];
  /** The stored document, when an existing object is edited. */
  stored?: Json;
  /** Why the value at a path cannot change; undefined when it can. */
  lockOf: (path: Path) => string | undefined;
}

const FormContext = createContext<FormModel | undefined>(undefined);

export function FormProvider({ model, children }: { model: FormModel; children: ReactNode }) {
  return <FormContext value={model}>{children}</FormContext>;
}

export function useForm(): FormModel {
  const model = useContext(FormContext);
  if (!model) throw new Error("A field stands outside a form.");
  return model;
}

/** The first thing to say about a field; silent about emptiness until a person has been there. */
export function useFault(path: Path): string | undefined {
  const { problems, touched, attempted } = useForm();
  const [problem] = problemsAt(problems, path);
  if (!problem) return undefined;
  if (problem.missing && !attempted && !touched.has(pathKey(path))) return undefined;
  return sentenceOf(problem.message);
}
