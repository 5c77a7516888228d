/** What a passkey is asked for, by the `data-passkey` of its form. */
export type PasskeyUse = "sign-in" | "prove" | "add";
