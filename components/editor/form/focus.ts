import { systemClock } from "@/lib/clock";
import { type Path, pathId } from "../document";

const FOCUSABLE =
  "input:not([disabled]), textarea:not([disabled]), select:not([disabled]), [role=switch]:not([disabled]), button:not([disabled])";

/** Brings a field into view and puts the cursor into it; of a field that is not there, its nearest parent. After the next drawing. */
export function focusField(path: Path): void {
  systemClock.after(30, () => {
    for (let length = path.length; length > 0; length--) {
      const field = document.getElementById(pathId(path.slice(0, length)));
      const target = field?.querySelector<HTMLElement>(FOCUSABLE);
      if (!target) continue;
      target.focus();
      target.scrollIntoView({ block: "center", behavior: "auto" });
      return;
    }
  });
}
