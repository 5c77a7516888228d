/** The form for the code of a protected share. */
export const unlock = {
  code: "Code",
  hint: "Enter the 6-character code from the sender.",
  unlock: "Unlock",
  useHandoff: "Otherwise, use the private link.",
  tryAgain: (relative: string) => `Try again ${relative}, after`,
  tooManyWithoutScript: "Too many wrong codes. Turn on JavaScript to try again.",
  tooMany: "Too many wrong codes.",
  wrongLength: (length: number, entered: number) => `The code has ${length} characters; you entered ${entered}.`,
  wrongCode: "Wrong code. Check it and try again.",
  handoffExpired: "This private link has expired. Ask the sender for a new one.",
  tokenExpired: "Your access has expired or the code has changed. Enter the current code.",
  missing: "Enter the code first.",
};

export type UnlockTexts = typeof unlock;
