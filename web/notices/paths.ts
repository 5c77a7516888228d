/** The path of the page with the account's notices, and of its form. */
export const NOTICES_PATH = "/notices";
/** The path that marks a notice as read and leads to the page about its subject. */
export const noticePath = (id: string): string => `${NOTICES_PATH}/${encodeURIComponent(id)}`;
