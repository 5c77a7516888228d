import { layout as layoutDe } from "./de/layout.ts";
import { list as listDe } from "./de/list.ts";
import { messages as messagesDe } from "./de/messages.ts";
import { share as shareDe } from "./de/share.ts";
import { status as statusDe } from "./de/status.ts";
import { types as typesDe } from "./de/types.ts";
import { unlock as unlockDe } from "./de/unlock.ts";
import { layout as layoutEn } from "./en/layout.ts";
import { list as listEn } from "./en/list.ts";
import { messages as messagesEn } from "./en/messages.ts";
import { share as shareEn } from "./en/share.ts";
import { status as statusEn } from "./en/status.ts";
import { types as typesEn } from "./en/types.ts";
import { unlock as unlockEn } from "./en/unlock.ts";
import { layout as layoutFr } from "./fr/layout.ts";
import { list as listFr } from "./fr/list.ts";
import { messages as messagesFr } from "./fr/messages.ts";
import { share as shareFr } from "./fr/share.ts";
import { status as statusFr } from "./fr/status.ts";
import { types as typesFr } from "./fr/types.ts";
import { unlock as unlockFr } from "./fr/unlock.ts";
import type { Language } from "./languages.ts";

const en = {
  layout: layoutEn,
  list: listEn,
  messages: messagesEn,
  share: shareEn,
  status: statusEn,
  types: typesEn,
  unlock: unlockEn,
};

/** The texts of the pages by area. An area is a file in each language's folder; scripts import theirs from `#texts/`. */
export type Texts = typeof en;

const de: Texts = {
  layout: layoutDe,
  list: listDe,
  messages: messagesDe,
  share: shareDe,
  status: statusDe,
  types: typesDe,
  unlock: unlockDe,
};

const fr: Texts = {
  layout: layoutFr,
  list: listFr,
  messages: messagesFr,
  share: shareFr,
  status: statusFr,
  types: typesFr,
  unlock: unlockFr,
};

/** The texts in each language. The compiler reports a text that a language lacks. */
export const catalogue: Readonly<Record<Language, Texts>> = { en, de, fr };
