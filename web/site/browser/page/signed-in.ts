/** Whether the page belongs to a signed-in account. */
export const isSignedIn = (): boolean => document.body.classList.contains("signed-in");

/** Returns the ID of the signed-in account; undefined without one. */
export const getAccountId = (): string | undefined => document.body.dataset.account;
