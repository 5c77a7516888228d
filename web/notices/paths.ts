/** The path of the page with the account's notices, and of its form. */
export const NOTICES_PATH = "/notices";
