import type { Locator, Page } from "playwright-core";
import type { TestServer } from "../../../support/server.ts";
import { call } from "../api/api.ts";
import { withDatabase } from "../servers/state.ts";
import { choose, getLink, whenSent } from "./sending.ts";

/** The bar that a share's page shows to its sender. */
export const bar = (page: Page): Locator => page.getByRole("region", { name: "Your share" });

export const button = (page: Page, name: string): Locator => bar(page).getByRole("button", { name, exact: true });

/** Presses a button of the bar. */
export const press = (page: Page, name: string): Promise<void> => button(page, name).click();

/** Sends small files from the front page; resolves to the share's short ID when the page shows the share with the bar. */
export async function sendFiles(page: Page, server: TestServer, ...names: string[]): Promise<string> {
  await page.goto(server.url);
  await choose(page, ...names);
  await getLink(page);
  const shortId = await whenSent(page);
  await bar(page).getByText("no downloads yet").waitFor();
  return shortId;
}

/** Opens the settings of a share that few people change. */
export const openMore = (part: Locator | Page): Promise<void> => part.locator("summary", { hasText: "More settings" }).click();

/** Deletes the share; resolves when the bar offers to undo that. */
export async function startDeletion(page: Page): Promise<void> {
  await press(page, "Delete");
  await button(page, "Undo").waitFor();
}

/** Reads the status with which the server responds to a request for the share. */
export const statusOf = async (server: TestServer, shortId: string): Promise<number> =>
  (await call(server, "GET", `/api/files/share/${shortId}`)).status;

/** Changes columns of the share in the database of the server. */
export async function setShare(
  server: TestServer,
  shortId: string,
  columns: { readonly expires_at?: number; readonly max_downloads?: number; readonly status?: "expired" | "deleted" | "dmca_removed" },
): Promise<void> {
  await withDatabase(server, (db) => db.updateTable("shares").set(columns).where("short_id", "=", shortId).execute());
}
