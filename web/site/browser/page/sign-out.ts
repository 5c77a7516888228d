import { mayKnowShares } from "../device/known.ts";
import { forgetAccountShares } from "../device/shares.ts";
import { getAccountId } from "./signed-in.ts";

/** Signing out first forgets what the account has sent from this device (pages, "What a device remembers"). */
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
