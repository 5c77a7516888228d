/** The public page of an account. */
export const publicPage = {
  title: (username: string) => `Files of ${username}`,
  description: (username: string) => `What ${username} shares with everybody.`,
  share: "public share",
  shareMany: "public shares",
  own: "This is your public page as others see it.",
  manage: "Manage your shares",
  profile: "Change your username",
  empty: "There are no public files here now.",
  noMore: "There are no older files.",
};

export type PublicPageTexts = typeof publicPage;
