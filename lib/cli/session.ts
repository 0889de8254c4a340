/** What every command works with. */
import type { Client } from "./client";
import { Failure } from "./failure";
import { collectionOf, type KindName, kindNamed, kindsOf, type Ref } from "./kinds";
import { type Item, isMap, itemsOf } from "./objects";
import type { Options } from "./options";
import type { Terminal } from "./terminal";

const PAGE = 500;

export class Session {
  private known: Promise<KindName[]> | undefined;

  constructor(
    readonly client: Client,
    readonly options: Options,
    readonly words: string[],
    readonly terminal: Terminal,
  ) {}

  kinds(): Promise<KindName[]> {
    this.known ??= kindsOf(this.client);
    return this.known;
  }

  async kind(word: string): Promise<KindName> {
    return kindNamed(await this.kinds(), word);
  }

  /** The namespace of this call; undefined: all. */
  get namespace(): string | undefined {
    return this.options["all-namespaces"] ? undefined : this.client.connection.namespace;
  }

  /** Every object of a kind, in pages. */
  async list(kind: KindName, namespace: string | undefined): Promise<Item[]> {
    const items: Item[] = [];
    let next: string | undefined;
    do {
      const query = new URLSearchParams({ limit: String(PAGE) });
      if (this.options.selector) query.set("labelSelector", this.options.selector);
      if (next) query.set("continue", next);
      const page = await this.client.ask(`${collectionOf(kind, namespace)}?${query}`);
      items.push(...itemsOf(page));
      next = isMap(page) && isMap(page.metadata) && typeof page.metadata.continue === "string" ? page.metadata.continue : undefined;
    } while (next);
    return items;
  }

  /** The objects that the words name: `kind name…`, `kind/name…`, or `kind` with -l. */
  async targets(): Promise<Ref[]> {
    const [first, ...rest] = this.words;
    if (first === undefined) throw new Failure("name what is meant: <kind> <name>…, <kind>/<name>…, or <kind> -l <selector>");
    const namespace = this.client.connection.namespace;
    if (first.includes("/"))
      return Promise.all(
        this.words.map(async (word) => {
          const [kind = "", name = "", ...more] = word.split("/");
          if (name === "" || more.length > 0) throw new Failure(`${word} must be <kind>/<name>`);
          return { kind: await this.kind(kind), namespace, name };
        }),
      );
    const kind = await this.kind(first);
    if (rest.length > 0) return rest.map((name) => ({ kind, namespace, name }));
    if (this.options.selector === undefined) throw new Failure(`name the ${kind.plural} that are meant, or choose them with -l`);
    const found = await this.list(kind, this.namespace);
    if (found.length === 0) throw new Failure(`no ${kind.plural} match ${this.options.selector}`);
    return found.map(({ metadata }) => ({ kind, namespace: metadata.namespace, name: metadata.name }));
  }
}

/** How an object is named in what is printed. */
export const nameOf = ({ kind, name }: Pick<Ref, "kind" | "name">) => `${kind.plural}/${name}`;
