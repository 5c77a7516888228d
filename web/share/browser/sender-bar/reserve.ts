/** Runs before the page of a share is shown. It is a script of its own, because the scripts of pages run later. */
import { reserveBarSpace } from "./bar-space.ts";
import { shortIdOfPage } from "./page-id.ts";

const shortId = shortIdOfPage();
if (shortId !== undefined) reserveBarSpace(shortId);
