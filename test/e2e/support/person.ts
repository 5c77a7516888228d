import type { Page } from "playwright-core";

const PERSONS_PASSWORD = "correct horse battery";

/** The address under which a local server is configured: a session's cookie counts nowhere else. */
export const homeOf = ({ url }: { readonly url: string }): string => `http://localhost:${new URL(url).port}`;

/** Creates an account by the form, and stays signed in. */
export async function signUpAs(page: Page, home: string, email: string, name = "Ada Lovelace"): Promise<void> {
  await page.goto(`${home}/signup`);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PERSONS_PASSWORD);
  await page.getByRole("button", { name: "Create an account", exact: true }).click();
  await page.getByRole("link", { name, exact: true }).waitFor();
}
