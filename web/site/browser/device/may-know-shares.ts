/** Whether this device may know shares, because this site has a database. In older browsers it always may. */
export async function mayKnowShares(): Promise<boolean> {
  const databases = await indexedDB.databases?.();
  return databases?.some(({ name }) => name === "filehost") ?? true;
}
