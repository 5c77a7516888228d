/** Whether the page is of who is signed in. */
export const isSignedIn = (): boolean => document.body.classList.contains("signed-in");

/** ID of the account that the page is for; undefined: none. */
export const getAccountId = (): string | undefined => document.body.dataset.account;
