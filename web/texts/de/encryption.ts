import type { EncryptionTexts } from "../en/encryption.ts";

export const encryption: EncryptionTexts = {
  key: "Passphrase oder Schlüssel",
  keyHint: "Sie bekommen ihn vom Absender. Er bleibt auf diesem Gerät.",
  keyMissing: "Geben Sie zuerst die Passphrase oder den Schlüssel ein.",
  decrypt: "Entschlüsseln und herunterladen",
  downloadEncrypted: "Verschlüsselt herunterladen",
  copy: "Kopieren",
  cancel: "Abbrechen",
  cancelled: "Abgebrochen. Nichts wurde gespeichert.",
  loading: "Wird geladen …",
  tryingKey: "Der Schlüssel wird geprüft …",
  decrypting: "Wird entschlüsselt …",
  saved: "Entschlüsselt. Ihr Browser speichert die Datei.",
  savedNamed: (name) => `Entschlüsselt und gespeichert. Der Absender nennt die Datei „${name}“.`,
  wrongKey: "Passphrase oder Schlüssel passen nicht zu dieser Datei. Nichts wurde gespeichert.",
  wrongLinkKey: "Der Schlüssel im Link passt nicht zu dieser Datei. Öffnen Sie den ganzen Link des Absenders erneut.",
  damaged: "Die Datei ist beschädigt oder unvollständig. Nichts wurde gespeichert. Versuchen Sie es erneut, oder fragen Sie den Absender.",
  unsupported:
    "Die Datei verlangt mehr Rechenzeit oder Speicher, als filehost für einen Schlüssel aufwendet. Versuchen Sie das Programm age.",
  notStored: "Der Browser konnte die Datei nicht speichern. Schaffen Sie Platz, und versuchen Sie es erneut.",
  broken: "Die Verbindung ist abgebrochen. Nichts wurde gespeichert. Versuchen Sie es erneut.",
  tooLarge: "Dieser Browser kann eine Datei dieser Größe nicht entschlüsseln. Verwenden Sie das Programm filehost:",
  all: "Um alle Dateien zu entschlüsseln, verwenden Sie das Programm filehost:",
};
