import { addressGroup, addressWideGroup } from "../domain/address.ts";
import type { Keyring } from "./secrets.ts";

/** What limits and quotas name a client's address by: the same for its whole group, and not telling which it is. */
export const addressSubject = (keyring: Keyring, address: string): string => keyring.pseudonym(addressGroup(address));

/** The same of the /48 around an IPv6 address, which limits also look at; undefined for IPv4. */
export function wideAddressSubject(keyring: Keyring, address: string): string | undefined {
  const group = addressWideGroup(address);
  return group === undefined ? undefined : keyring.pseudonym(group);
}
