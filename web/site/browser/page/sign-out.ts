import { mayKnowShares } from "../device/may-know-shares.ts";
import { forgetAccountShares } from "../device/shares.ts";
import { getAccountId } from "./signed-in.ts";

/** Makes this device forget the account's shares before its person is signed out (pages, "What a device remembers"). */
export async function forgetAndSignOut(form: HTMLFormElement): Promise<void> {
  await forget().catch(() => undefined);
  form.submit();
}

async function forget(): Promise<void> {
  if (await mayKnowShares()) await forgetAccountShares(getAccountId());
}
