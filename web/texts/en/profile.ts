/** The settings' page of the profile. */
export const profile = {
  nameHint: "Recipients of your files see it.",
  save: "Save",
  saved: "Saved.",
  username: "Public username",
  usernameLabel: "Username",
  usernameText: "Your public shares need a username. You can also sign in with it.",
  usernameHint: (max: number) => `3 to 30 letters a–z, digits, - and _. You can change it ${max} times in 30 days.`,
  toPublicPage: "See your public page",
  claim: "Claim username",
  change: "Change username",
  remove: "Remove username",
  removeText: (name: string) => `Your public shares become unlisted: their links keep working. Anyone can then claim ${name}.`,
  claimed: (name: string) => `Your username is now ${name}.`,
  removed: "Your username is removed. Your public shares are now unlisted.",
  problems: {
    invalid: "Use 3 to 30 of a–z, 0–9, - and _.",
    taken: "This username is taken or reserved. Choose another.",
    tooMany: (date: string) => `You have changed it too often. Try again after ${date}.`,
  },
};

export type ProfileTexts = typeof profile;
