/** Documents of any shape, and such as are right but for one place; for tests only. */
import fc from "fast-check";

/** Texts that have broken something somewhere. */
export const nasty = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    ...["\u0000", "'", '"', "\\", "%", "$1", "../..", "a".repeat(300), "null", "-1", "1e400", "__proto__", "constructor", "{}", "[]"],
    ...["true", "2031-13-45", "'; drop table resource; --", "a".repeat(5_000), "\ud800", "9007199254740993", "toString", "*", "٣", " "],
  ),
);

export type Tree = null | boolean | number | string | Tree[] | { [key: string]: Tree };

const keys = fc.oneof(
  fc.constantFrom(
    ...["metadata", "name", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "managedFields", "spec", "size"],
    ...["values", "from", "vault", "control", "paused", "reason", "until", "mode", "status", "uids", "query", "expectedCount", "action"],
    ...["email", "password", "token", "role", "digest", "sealed", "preconditions", "resourceVersion", "uid", "replicas", "limits", "scope"],
  ),
  nasty,
);
export const json = fc.letrec<{ value: Tree; map: { [key: string]: Tree } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    nasty,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("map"),
  ),
  map: fc.dictionary(keys, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));

/** Every place in a document, as the way to it. */
function placesIn(tree: Tree, way: (string | number)[] = []): (string | number)[][] {
  if (typeof tree !== "object" || tree === null) return [way];
  const inside = Array.isArray(tree) ? tree.map((item, index) => [index, item] as const) : Object.entries(tree);
  return [way, ...inside.flatMap(([key, item]) => placesIn(item, [...way, key]))];
}

/** The document with one place changed by `change`. */
function changed(tree: Tree, [step, ...way]: (string | number)[], change: (place: Tree) => Tree): Tree {
  if (step === undefined) return change(tree);
  if (Array.isArray(tree)) return tree.map((item, index) => (index === step ? changed(item, way, change) : item));
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, item]) => [key, key === step ? changed(item, way, change) : item]));
}

const blow = fc.oneof(
  json.value.map((value) => () => value),
  fc.tuple(keys, json.value).map(([key, value]) => (place: Tree): Tree => {
    if (Array.isArray(place)) return [...place, value];
    return typeof place === "object" ? { ...place, [key]: value } : value;
  }),
  fc.constantFrom<((place: Tree) => Tree)[]>(
    (place) => [place, place],
    (place) => ({ name: place }),
    (place) => (typeof place === "string" ? `${place}\u0000` : String(JSON.stringify(place))),
    (place) => (typeof place === "number" ? -place - 0.5 : 1e308),
    (place) => (Array.isArray(place) ? Array(200).fill(place[0] ?? "x") : "x".repeat(70_000)),
  ),
);
/** A document that is right but for a place or two. */
export const broken = (document: Tree): fc.Arbitrary<string> =>
  fc.array(fc.tuple(fc.nat(), blow), { minLength: 1, maxLength: 2 }).map((blows) =>
    JSON.stringify(
      blows.reduce((tree, [at, change]) => {
        const places = placesIn(tree);
        return changed(tree, places[at % places.length] ?? [], change);
      }, document),
    ),
  );
/** A text that ends too early, or in which a character is another. */
export const torn = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.nat(), nasty).map(([whole, at, put]) => {
    const cut = at % (whole.length + 1);
    return at % 3 === 0 ? whole.slice(0, cut) : `${whole.slice(0, cut)}${put}${whole.slice(cut + (at % 2))}`;
  });
