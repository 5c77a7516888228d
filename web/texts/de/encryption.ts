import type { EncryptionTexts } from "../en/encryption.ts";

export const encryption: EncryptionTexts = {
  key: "Passphrase oder Schlüssel",
  keyHint: "Sie bekommen ihn vom Absender. Er bleibt auf diesem Gerät.",
  keyMissing: "Geben Sie zuerst die Passphrase oder den Schlüssel ein.",
  decrypt: "Entschlüsseln und herunterladen",
  downloadEncrypted: "Verschlüsselt herunterladen",
  copy: "Kopieren",
  loading: "Wird geladen …",
  decrypting: "Wird entschlüsselt …",
  saved: "Entschlüsselt. Ihr Browser speichert die Datei.",
  wrongKey: "Passphrase oder Schlüssel passen nicht zu dieser Datei. Nichts wurde gespeichert.",
  wrongLinkKey: "Der Schlüssel im Link passt nicht zu dieser Datei. Öffnen Sie den ganzen Link des Absenders erneut.",
  damaged: "Die Datei ist beschädigt oder unvollständig. Nichts wurde gespeichert. Versuchen Sie es erneut, oder fragen Sie den Absender.",
  broken: "Die Verbindung ist abgebrochen. Nichts wurde gespeichert. Versuchen Sie es erneut.",
  tooLarge: "Dieser Browser kann eine Datei dieser Größe nicht entschlüsseln. Verwenden Sie das Programm filehost:",
  all: "Um alle Dateien zu entschlüsseln, verwenden Sie das Programm filehost:",
};
