import type { Page } from "playwright-core";

/** Chooses a view or an order on the page of an account's files, or goes to the page of what programs sent. */
export async function chooseView(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "View and order", exact: true }).click();
  await page.getByRole("menu").getByText(name, { exact: true }).click();
}

/** Returns whether a choice of the menu of views is the current one. */
export async function isViewChosen(page: Page, name: string): Promise<boolean> {
  await page.getByRole("button", { name: "View and order", exact: true }).click();
  const isChecked = (await page.getByRole("menuitemradio", { name, exact: true }).getAttribute("aria-checked")) === "true";
  await page.keyboard.press("Escape");
  return isChecked;
}

/** Presses a button that adds entries to the page of an account's files. Small windows have it in a menu. */
export async function pressAdd(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  const menu = page.getByRole("button", { name: "Add", exact: true });
  await button.or(menu).first().waitFor();
  if (await menu.isVisible()) {
    await menu.click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  } else await button.click();
}

/** Confirms the question before a deletion that ends links, once it names them. */
export async function confirmDeletion(page: Page): Promise<void> {
  const question = page.getByRole("dialog", { name: /^Delete / });
  await question.getByText("stop", { exact: false }).waitFor();
  await question.getByRole("button", { name: "Delete", exact: true }).click();
  await question.waitFor({ state: "detached" });
}
