/** The seeds of a test run, in two halves so that two test workers carry them. */
export const FIRST_HALF = { first: 1, count: 1_000 };
export const SECOND_HALF = { first: 1_001, count: 1_000 };
