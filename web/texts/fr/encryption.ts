import type { EncryptionTexts } from "../en/encryption.ts";

export const encryption: EncryptionTexts = {
  key: "Phrase secrète ou clé",
  keyHint: "L’expéditeur vous la donne. Elle reste sur cet appareil.",
  keyMissing: "Saisissez d’abord la phrase secrète ou la clé.",
  decrypt: "Déchiffrer et télécharger",
  downloadEncrypted: "Télécharger chiffré",
  copy: "Copier",
  cancel: "Annuler",
  cancelled: "Annulé. Rien n’a été enregistré.",
  loading: "Chargement…",
  tryingKey: "Vérification de la clé…",
  decrypting: "Déchiffrement…",
  saved: "Déchiffré. Votre navigateur enregistre le fichier.",
  wrongKey: "La phrase secrète ou la clé ne correspond pas à ce fichier. Rien n’a été enregistré.",
  wrongLinkKey: "La clé du lien ne correspond pas à ce fichier. Ouvrez de nouveau le lien complet de l’expéditeur.",
  damaged: "Le fichier est endommagé ou incomplet. Rien n’a été enregistré. Réessayez, ou demandez à l’expéditeur.",
  unsupported: "Le fichier demande plus de calcul ou de mémoire que filehost n’en consacre à une clé. Essayez le programme age.",
  notStored: "Le navigateur n’a pas pu enregistrer le fichier. Libérez de l’espace, puis réessayez.",
  broken: "La connexion a été perdue. Rien n’a été enregistré. Réessayez.",
  tooLarge: "Ce navigateur ne peut pas déchiffrer un fichier de cette taille. Utilisez le programme filehost :",
  all: "Pour déchiffrer tous les fichiers, utilisez le programme filehost :",
};
