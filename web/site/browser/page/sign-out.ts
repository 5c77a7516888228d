import { mayKnowShares } from "../device/may-know-shares.ts";
import { forgetAccountShares } from "../device/shares.ts";
import { getAccountId } from "./signed-in.ts";

/** Makes the form of signing out first forget the account's shares on this device (pages, "What a device remembers"). */
export function improveSignOut(main: HTMLElement): void {
  main.querySelector<HTMLFormElement>("form[data-sign-out]")?.addEventListener("submit", async function (event) {
    event.preventDefault();
    await forget().catch(() => undefined);
    this.submit();
  });
}

async function forget(): Promise<void> {
  if (await mayKnowShares()) await forgetAccountShares(getAccountId());
}
