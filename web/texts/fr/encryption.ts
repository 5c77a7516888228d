import type { EncryptionTexts } from "../en/encryption.ts";

export const encryption: EncryptionTexts = {
  key: "Phrase secrète ou clé",
  keyHint: "L’expéditeur vous la donne. Elle reste sur cet appareil.",
  keyMissing: "Saisissez d’abord la phrase secrète ou la clé.",
  decrypt: "Déchiffrer et télécharger",
  downloadEncrypted: "Télécharger chiffré",
  copy: "Copier",
  loading: "Chargement…",
  decrypting: "Déchiffrement…",
  saved: "Déchiffré. Votre navigateur enregistre le fichier.",
  wrongKey: "La phrase secrète ou la clé ne correspond pas à ce fichier. Rien n’a été enregistré.",
  wrongLinkKey: "La clé du lien ne correspond pas à ce fichier. Ouvrez de nouveau le lien complet de l’expéditeur.",
  damaged: "Le fichier est endommagé ou incomplet. Rien n’a été enregistré. Réessayez, ou demandez à l’expéditeur.",
  broken: "La connexion a été perdue. Rien n’a été enregistré. Réessayez.",
  tooLarge: "Ce navigateur ne peut pas déchiffrer un fichier de cette taille. Utilisez le programme filehost :",
  all: "Pour déchiffrer tous les fichiers, utilisez le programme filehost :",
};
