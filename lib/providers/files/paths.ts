/** Folder below the root that holds the marks; nobody's files may go there. */
export const PRIVATE_FOLDER = ".setpoint";
/** Names of half-written files beside the one they will become. */
export const TEMPORARY_PREFIX = ".setpoint-";

const LONGEST_PATH = 1024;
const LONGEST_NAME = 255;

/** Undefined when `path` can name a file below the root, else the sentence that says why not. Looks at the text alone. */
export function pathFault(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path.startsWith("/")) return "must be relative to the root of files, without a leading '/'";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused here.
  if (/[\u0000-\u001f\u007f]/.test(path)) return "must not contain control characters";
  if (Buffer.byteLength(path) > LONGEST_PATH) return `must be no more than ${LONGEST_PATH} bytes`;
  const segments = path.split("/");
  if (segments.includes("")) return "must not contain empty segments ('//' or a '/' at the end)";
  if (segments.includes("..")) return "must not contain '..': files stay below the root";
  if (segments.includes(".")) return "must not contain '.' as a segment";
  if (segments.some((segment) => Buffer.byteLength(segment) > LONGEST_NAME))
    return `each segment must be no more than ${LONGEST_NAME} bytes`;
  // Compared without case, for file systems that do not tell them apart.
  if (segments[0]?.toLowerCase() === PRIVATE_FOLDER) return `must not be in '${PRIVATE_FOLDER}', where Setpoint keeps its marks`;
  if (segments.some((segment) => segment.toLowerCase().startsWith(TEMPORARY_PREFIX)))
    return `no segment may start with '${TEMPORARY_PREFIX}', the name of half-written files`;
  return undefined;
}
