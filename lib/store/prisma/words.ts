import type { Resource } from "@/lib/resource";

/** Beyond so many it forgets them all and begins anew: texts that differ from object to object are no words. */
const MOST_KNOWN = 10_000;
/** What is longer is hardly said twice. */
const LONGEST = 200;

/**
 * The few texts that the objects of a worker say again and again, each kept once. A driver makes every text of every row anew.
 */
export class Words {
  private readonly known = new Map<string, string>();
  /** The newest time: the same stands several times in one object, and in no other. */
  private time = "";

  /** Puts the known text in place of each equal one in what was just read, but for its spec and its names. */
  share(resource: Resource): void {
    resource.kind = this.one(resource.kind);
    if (resource.slice !== undefined) resource.slice = this.one(resource.slice);
    resource.metadata.namespace = this.one(resource.metadata.namespace);
    this.shareIn(resource.metadata.finalizers);
    this.shareIn(resource.control);
    this.shareIn(resource.status);
  }

  private shareIn(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const holder = value as Record<string, unknown>;
    for (const key in holder) {
      const inner = holder[key];
      if (typeof inner === "string") holder[key] = this.one(inner);
      else this.shareIn(inner);
    }
  }

  private one(text: string): string {
    if (isTime(text)) {
      if (text !== this.time) this.time = text;
      return this.time;
    }
    const known = this.known.get(text);
    if (known !== undefined || text.length > LONGEST) return known ?? text;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(text, text);
    return text;
  }
}

function isTime(text: string): boolean {
  return text.length === 24 && text[10] === "T" && text[23] === "Z";
}
