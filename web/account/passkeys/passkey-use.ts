/** The purpose of a passkey, as in the `data-passkey` of its form. */
export type PasskeyUse = "sign-in" | "prove" | "add";
