import { trimPasted } from "../../lib/text/pasted-link.ts";

const PARAMETER = "key";
const IDENTITY = /^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,100}$/;

/** Whether a text has the form of an age identity, the secret half of a key pair. */
export const isIdentity = (text: string): boolean => IDENTITY.test(text);

/** Reads the identity in the fragment of a link (`#key=…`); undefined if there is none. */
export function readFragmentKey(fragment: string): string | undefined {
  const key = trimPasted(new URLSearchParams(fragment.replace(/^#/, "")).get(PARAMETER) ?? "").toUpperCase();
  return isIdentity(key) ? key : undefined;
}

/** Returns the fragment (the text after `#`) of a link with the identity. */
export const toFragment = (identity: string): string => `${PARAMETER}=${identity}`;

/** Adds the identity to a link as its fragment, which browsers and this client never send. */
export const withFragmentKey = (link: string, identity: string): string => `${link.replace(/#.*$/, "")}#${toFragment(identity)}`;
