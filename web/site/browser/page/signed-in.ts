/** Whether the page is of who is signed in. */
export const isSignedIn = (): boolean => document.body.classList.contains("signed-in");

/** Of whom the page is. */
export const getAccountId = (): string | undefined => document.body.dataset.account;
