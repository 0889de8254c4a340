export interface Crumb {
  label: string;
  /** Absent on the page itself. */
  href?: string;
}

const PAGES: Record<string, string> = { resources: "Resources", controllers: "Controllers", settings: "Settings" };

/** Where a page stands, from its path; the last one is the page itself. */
export function crumbsFor(pathname: string): Crumb[] {
  const [page, ...rest] = pathname.split("/").filter(Boolean).map(decode);
  if (page === undefined) return [{ label: "Overview" }];
  const root: Crumb = { label: PAGES[page] ?? page, href: `/${page}` };
  if (page !== "resources" || rest.length === 0) return last([root, ...rest.map((label) => ({ label }))]);
  if (rest[0] === "new") return last([root, { label: "New" }]);
  const [plural, namespace, name, action] = rest;
  const crumbs: Crumb[] = [root];
  if (plural) crumbs.push({ label: plural, href: `/resources?kind=${encodeURIComponent(plural)}` });
  if (plural && namespace)
    crumbs.push({ label: namespace, href: `/resources?kind=${encodeURIComponent(plural)}&namespace=${encodeURIComponent(namespace)}` });
  if (plural && namespace && name) {
    crumbs.push({ label: name, href: `/resources/${[plural, namespace, name].map(encodeURIComponent).join("/")}` });
  }
  if (action) crumbs.push({ label: action === "edit" ? "Edit" : action });
  return last(crumbs);
}

function last(crumbs: Crumb[]): Crumb[] {
  return crumbs.map((crumb, index) => (index === crumbs.length - 1 ? { label: crumb.label } : crumb));
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A path that is not well-formed is shown as it was typed.
    return segment;
  }
}
