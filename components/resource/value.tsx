import type { Json } from "@/lib/resource";
import { presentValue } from "./difference";

/** One value in a cell. Long ones are cut to a few lines here; the line diff below shows them whole. */
export function Value({ value }: { value: Json | undefined }) {
  const shown = presentValue(value);
  switch (shown.form) {
    case "absent":
      return <span className="text-muted text-xs italic">absent</span>;
    case "digest":
      return (
        <span className="font-mono text-xs" title="Only the digest of a secret is ever shown.">
          {shown.text}
        </span>
      );
    case "line":
      return <span className="font-mono text-xs break-all">{shown.text}</span>;
    case "block":
      return <pre className="max-h-24 overflow-hidden font-mono text-xs whitespace-pre-wrap break-all">{shown.text}</pre>;
  }
}
