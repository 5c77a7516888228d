/** The public page of an account. */
export const publicPage = {
  title: (username: string) => `Files of ${username}`,
  description: (username: string) => `What ${username} shares with everybody.`,
  empty: "There are no public files here now.",
  noMore: "There are no older files.",
};

export type PublicPageTexts = typeof publicPage;
