/** RFC 1123 subdomain, as Kubernetes uses for names of objects: at most 253 characters. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** RFC 1123 label: at most 63 characters. */
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;
const QUALIFIED = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Undefined when valid, else the sentence that says why not. */
export function nameFault(name: string): string | undefined {
  if (name.length === 0) return "must not be empty";
  if (name.length > 253) return "must be no more than 253 characters";
  if (!NAME.test(name))
    return "must consist of lower case letters, digits, '-' and '.', and start and end with a letter or digit (RFC 1123 subdomain)";
  return undefined;
}

/** As `nameFault`, for namespaces. */
export function namespaceFault(namespace: string): string | undefined {
  if (namespace.length === 0) return "must not be empty";
  if (namespace.length > 63) return "must be no more than 63 characters";
  if (!LABEL.test(namespace))
    return "must consist of lower case letters, digits and '-', and start and end with a letter or digit (RFC 1123 label)";
  return undefined;
}

/** A label or annotation key: optional DNS prefix, '/', and up to 63 characters. */
export function labelKeyFault(key: string): string | undefined {
  const slash = key.indexOf("/");
  const name = slash < 0 ? key : key.slice(slash + 1);
  if (slash >= 0 && nameFault(key.slice(0, slash)) !== undefined) return "prefix must be a DNS subdomain";
  if (name.length === 0 || name.length > 63 || !QUALIFIED.test(name))
    return "name part must be 1 to 63 letters, digits, '-', '_' or '.', starting and ending with a letter or digit";
  return undefined;
}

export function labelValueFault(value: string): string | undefined {
  if (value.length > 63 || !LABEL_VALUE.test(value))
    return "must be at most 63 letters, digits, '-', '_' or '.', starting and ending with a letter or digit";
  return undefined;
}
