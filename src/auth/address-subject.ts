import { addressGroup } from "../domain/address.ts";
import type { Keyring } from "./secrets.ts";

/** What limits and quotas name a client's address by: the same for its whole group, and not telling which it is. */
export const addressSubject = (keyring: Keyring, address: string): string => keyring.pseudonym(addressGroup(address));
