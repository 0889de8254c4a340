"use client";

import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Callout } from "@/components/ui/callout";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { returnPath, signInFault } from "./sign-in-answer";

export function SignInForm() {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const password = useRef<HTMLInputElement>(null);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setFault(undefined);
    const answer = await attempt(String(form.get("email")), String(form.get("password")));
    const found = signInFault(answer);
    if (found === undefined) return window.location.assign(returnPath(new URLSearchParams(window.location.search).get("callbackUrl")));
    setFault(found);
    setBusy(false);
    password.current?.select();
  };

  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-4">
      {fault ? (
        <Callout tone="bad" role="alert">
          {fault}
        </Callout>
      ) : null}
      <Field label="E-mail address">
        {(control) => <Input {...control} className="h-9" name="email" type="email" autoComplete="username" required autoFocus />}
      </Field>
      <Field label="Password">
        {(control) => (
          <Input {...control} ref={password} className="h-9" name="password" type="password" autoComplete="current-password" required />
        )}
      </Field>
      <Button type="submit" variant="primary" size="lg" busy={busy}>
        Sign in
      </Button>
    </form>
  );
}

async function attempt(email: string, password: string) {
  try {
    const { signIn } = await import("next-auth/react");
    return await signIn("credentials", { email, password, redirect: false });
  } catch {
    // The request itself failed: said to the person as "did not answer".
    return undefined;
  }
}
