/** Runs before the page of a share is shown. It is a script of its own, because the scripts of pages run later. */
import { reserveBarSpace, reserveSentSpace } from "./bar-space.ts";
import { isJustSent } from "./just-sent.ts";
import { shortIdOfPage } from "./page-id.ts";

const shortId = shortIdOfPage();
if (isJustSent()) reserveSentSpace();
else if (shortId !== undefined) reserveBarSpace(shortId);
