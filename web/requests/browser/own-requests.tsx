/** @jsxImportSource preact */
/** Adds what encrypted requests need to the pages of their owner: the choice of a key, and the decryption of what was received. */
import { render } from "preact";
import { KeyChoice } from "./key-choice.tsx";
import { ReceivedKey } from "./received-key.tsx";

const choice = document.getElementById("own-key");
const form = choice?.closest("form");
if (choice && form) render(<KeyChoice form={form} isOn={choice.dataset.encrypt !== undefined} />, choice);

const received = document.getElementById("received-key");
const { encryptTo } = received?.dataset ?? {};
if (received && encryptTo) {
  received.replaceChildren();
  if (document.querySelector("[data-sealed]")) render(<ReceivedKey encryptTo={encryptTo} />, received);
}
