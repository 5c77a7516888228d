/** The page of what the account was told, and its form. */
export const NOTICES_PATH = "/notices";
