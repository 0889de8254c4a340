/** Command line of the browser in tests. */
export declare const BROWSER_ARGUMENTS: string[];
/** The executable of an installed Chromium, or undefined. */
export declare function findBrowser(): Promise<string | undefined>;
