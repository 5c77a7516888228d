import type { Locator, Page } from "playwright-core";

export const GET_LINK = { name: "Get a link" } as const;
export const READY = { name: "Your link is ready" } as const;

/** Makes a small text file with unique bytes, for `setInputFiles`. */
export const textFile = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`bytes of ${name}`) });

/** Chooses small files on the front page. */
export const choose = (page: Page, ...names: string[]): Promise<void> => page.setInputFiles("#file", names.map(textFile));

export const getLink = (page: Page): Promise<void> => page.getByRole("button", GET_LINK).click();

/** Waits until all files were sent and the page shows the share; resolves to its short ID. */
export async function whenSent(page: Page, timeoutMs = 60_000): Promise<string> {
  await page.waitForURL(/\/d\/[^/]+$/, { timeout: timeoutMs, waitUntil: "commit" });
  return new URL(page.url()).pathname.slice("/d/".length);
}

/** Returns the short ID in the link on the page. */
export async function shownShortId(page: Page): Promise<string> {
  const href = await page.locator("[data-link]").getAttribute("href");
  return new URL(href ?? "").pathname.slice("/d/".length);
}

/** The shares of the list of this device that are complete and can be downloaded. */
export const readyShares = (page: Page): Locator =>
  page.locator("#recent li").filter({ hasText: "expires in", hasNotText: /Not complete|Being scanned/ });

/** Returns the names of the chosen files. */
export const chosenNames = (page: Page): Promise<string[]> => page.locator("#chosen .name").allTextContents();

/** Returns the records of a store in which this device remembers its shares and their unsent files. */
export const storedRecords = (page: Page, store: "shares" | "pending"): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open("filehost");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const request = opening.result.transaction("${store}").objectStore("${store}").getAll();
      request.onsuccess = () => {
        opening.result.close();
        resolve(request.result);
      };
    };
  })`);

/** Returns the paths of unfinished files that this device remembers. */
export const pendingPaths = async (page: Page): Promise<readonly string[]> =>
  (await storedRecords(page, "pending")).map(({ path }) => String(path));
