/** Whether this device may know shares: this site has its database. Older browsers cannot tell. */
export async function mayKnowShares(): Promise<boolean> {
  const databases = await indexedDB.databases?.();
  return databases?.some(({ name }) => name === "filehost") ?? true;
}
