import type { Locator, Page } from "playwright-core";
import { reservePort } from "../../../support/network/free-ports.ts";
import type { TestServer } from "../../../support/server.ts";
import { clientOf } from "../api/api.ts";
import { startPlainServer } from "../servers/plain-server.ts";

export const PERSONS_PASSWORD = "correct horse battery";

/** Returns the address under which a local server is configured. A session's cookie is valid only there. */
export const homeOf = ({ url }: { readonly url: string }): string => `http://localhost:${new URL(url).port}`;

/** Creates an account by the form, and stays signed in. */
export async function signUpAs(page: Page, home: string, email: string, name = "Ada Lovelace"): Promise<void> {
  await page.goto(`${home}/signup`);
  await fillSignUp(page, email, name);
  await accountMenu(page, name).waitFor();
}

/** Finds the button that opens the menu of the account that is signed in. */
export const accountMenu = (page: Page, name = "Ada Lovelace"): Locator => page.locator("#account-menu > summary", { hasText: name });

/** Opens the settings from the menu of the account. */
export async function openSettings(page: Page): Promise<void> {
  await page.locator("#account-menu > summary").click();
  await page.getByRole("link", { name: "Settings", exact: true }).click();
}

/** Fills the form of a page for signing up, or of an invite, and sends it. */
export async function fillSignUp(page: Page, email: string, name = "Ada Lovelace"): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PERSONS_PASSWORD);
  await page.getByRole("button", { name: "Create an account", exact: true }).click();
}

/** Fills the form of the sign-in page, and sends it. */
export async function fillSignIn(page: Page, login: string, password = PERSONS_PASSWORD): Promise<void> {
  await page.getByLabel("Email address or username").fill(login);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Signs in by the form, and then opens a path of the site. */
export async function signInAs(page: Page, home: string, login: string, path: string): Promise<void> {
  await page.goto(`${home}/signin?next=${encodeURIComponent(path)}`);
  await fillSignIn(page, login);
  await page.waitForURL(home + path);
}

/** Signs out by the button of the page, and waits for the next page, because the device first forgets what the account sent. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.waitForURL((url) => url.pathname === "/");
}

/** Creates an administrator with a password by the commands; resolves to their email address. */
export async function makeAdministrator(server: TestServer): Promise<string> {
  const email = `${crypto.randomUUID()}@example.org`;
  await server.run(["users", "create", "--email", email, "--name", "An administrator", "--admin"]);
  const { stdout } = await server.run(["users", "reset-password", email, "--json"]);
  const token = /\/reset\/([^/]+)$/.exec((JSON.parse(stdout) as { url: string }).url)?.[1] ?? "";
  await clientOf(server).call("resetPassword", { token, newPassword: PERSONS_PASSWORD });
  return email;
}

/** A server with a person who is signed in with `session`. */
export type ServerWithSession = TestServer & { readonly session: string };

/** Starts a server with a signed-in person. Its API is at the root, where it has operations at the paths of pages. */
export async function startRootApiServer(): Promise<ServerWithSession> {
  const listen = `127.0.0.1:${await reservePort()}`;
  const server = await startPlainServer({ FILEHOST_LISTEN: listen, FILEHOST_BASE_URL: `http://${listen}` });
  const person = { email: "ada@example.org", password: PERSONS_PASSWORD, name: "Ada" };
  return Object.assign(server, { session: (await clientOf(server).call("signUp", person)).data.sessionToken });
}
