/** How who is signed in proves it. */
export const factors = {
  prove: "Enter your password again",
  proveWhy: "What comes next is protected. We ask for your password every 15 minutes.",
  goOn: "Continue",
};

export type FactorTexts = typeof factors;
