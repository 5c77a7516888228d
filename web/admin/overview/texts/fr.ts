import type { InstallationCheckTexts } from "./en.ts";

export const installationChecks: InstallationCheckTexts = {
  settings: {
    title: "Réglages",
    problem: "Le serveur ne connaît pas un de ses réglages.",
    fix: "Corrigez le nom du réglage, ou supprimez-le.",
  },
  address: {
    title: "Adresse du site",
    problem: "Les liens peuvent ne pas fonctionner pour les autres, ou circuler sans chiffrement.",
    fix: "Placez devant un proxy inverse avec un certificat, et indiquez l’adresse https que tous utilisent.",
  },
  secret: {
    title: "Fichiers secrets",
    problem: "Un fichier secret manque, le serveur ne peut pas le lire, ou d’autres utilisateurs de la machine le peuvent.",
    fix: "Laissez seul l’utilisateur du serveur le lire (chmod 600), et gardez-le avec vos sauvegardes.",
  },
  connections: {
    title: "Limite des connexions",
    problem: "Une personne peut ouvrir autant de connexions qu’elle veut, car il n’y a pas de proxy inverse devant.",
    fix: "Placez devant un proxy inverse qui limite les connexions par adresse IP, et déclarez-le de confiance.",
  },
  contentHost: {
    title: "Hôte séparé pour les fichiers",
    problem: "Les fichiers viennent du même hôte que les pages. Seuls des en-têtes isolent un fichier qui imite une page.",
    fix: "Dirigez un second nom d’hôte vers ce serveur, laissez le proxy le transmettre, et indiquez-le comme adresse des fichiers.",
  },
  proxy: {
    title: "Proxy inverse",
    problem: "Le serveur ne connaît peut-être pas les adresses IP de ses visiteurs : ils partagent une limite ou peuvent l’éviter.",
    fix: "Déclarez l’adresse de votre proxy de confiance, et faites-lui envoyer l’adresse du visiteur dans X-Forwarded-For.",
  },
  server: {
    title: "Serveur",
    problem: "Un autre programme écoute à l’adresse de ce serveur, ou le serveur répond mal.",
    fix: "Arrêtez ce programme, ou choisissez un autre port.",
  },
  publicUrl: {
    title: "Adresse publique",
    problem: "L’adresse publique ne mène pas à ce serveur.",
    fix: "Vérifiez le nom d’hôte, le proxy et le pare-feu. Si l’adresse fonctionne depuis d’autres machines, ignorez ceci.",
  },
  mcp: {
    title: "Adresse pour les agents (MCP)",
    problem: "Les programmes d’IA n’atteignent pas ce serveur.",
    fix: "Faites transmettre l’en-tête Host par le proxy, et dirigez l’adresse MCP vers ce serveur.",
  },
  dataFolder: {
    title: "Dossier des données",
    problem: "Le dossier des données n’est pas sûr, est lent, ou le serveur ne peut pas y écrire.",
    fix: "Donnez le dossier à l’utilisateur du serveur, sur un seul disque local rapide.",
  },
  freeSpace: {
    title: "Espace libre",
    problem: "Le disque est presque plein. Les envois sont refusés avant qu’il ne reste rien.",
    fix: "Libérez bientôt de l’espace, ou utilisez un disque plus grand.",
  },
  database: {
    title: "Base de données",
    problem: "La base de données ne répond pas, ou cette version ne peut pas l’utiliser.",
    fix: "Vérifiez qu’elle fonctionne, son adresse et son jeton, et qui peut lire son fichier.",
  },
  databaseFile: {
    title: "Fichier de la base de données",
    problem: "Le fichier de la base de données est endommagé.",
    fix: "Arrêtez le serveur, copiez le dossier des données, vérifiez le disque, et restaurez la dernière sauvegarde.",
  },
  databaseWrites: {
    title: "Écriture dans la base de données",
    problem: "La base de données n’accepte aucune modification.",
    fix: "Terminez la transaction qui bloque la base, ou redémarrez son serveur.",
  },
  roundTrip: {
    title: "Distance de la base de données",
    problem: "Chaque requête à la base de données est lente, et chaque page en demande plusieurs.",
    fix: "Exécutez filehost dans le même centre de données que sa base.",
  },
  clock: {
    title: "Horloge",
    problem: "L’horloge de cette machine est peut-être fausse. Ce qui a expiré n’est pas supprimé tant qu’elle l’est.",
    fix: "Vérifiez l’horloge avec timedatectl, et activez sa synchronisation.",
  },
  reports: {
    title: "Signalements",
    problem: "Des signalements attendent votre décision.",
    fix: "Lisez les signalements et décidez.",
  },
  mails: {
    title: "E-mails",
    problem: "Des e-mails n’ont pas été acceptés ces 7 derniers jours.",
    fix: "Voyez pourquoi, puis renvoyez ou abandonnez les e-mails.",
  },
  s3: {
    title: "Stockage S3",
    problem: "Le stockage S3 ne permet pas une chose dont ce serveur a besoin.",
    fix: "Vérifiez l’adresse, la région, le compartiment, et la clé d’accès avec ses droits.",
  },
  s3Address: {
    title: "Adresse du stockage S3",
    problem: "Les navigateurs n’atteignent pas le stockage vers lequel mènent les téléchargements.",
    fix: "Indiquez l’adresse https publique du stockage, ou faites passer téléchargements et envois par ce serveur.",
  },
  s3Cors: {
    title: "Envois des navigateurs vers S3",
    problem: "Le stockage ne laisse pas les navigateurs envoyer des fichiers depuis ce site.",
    fix: "Autorisez ce site dans les règles CORS du stockage.",
  },
  s3Lifecycle: {
    title: "Règles de suppression du compartiment",
    problem: "Une règle du compartiment supprime des fichiers ou des envois que filehost utilise encore.",
    fix: "Retirez la règle du compartiment.",
  },
  s3Versions: {
    title: "Anciennes versions dans le compartiment",
    problem: "Le compartiment garde les anciennes versions : les fichiers supprimés occupent encore de l’espace.",
    fix: "Ajoutez une règle qui les supprime, ou désactivez les versions.",
  },
  storePair: {
    title: "Fichiers et base de données",
    problem: "Les fichiers stockés et la base de données ne vont pas ensemble. Rien n’est supprimé d’ici là.",
    fix: "Vérifiez les deux chemins, et restaurez fichiers et base depuis la même sauvegarde.",
  },
  storedBytes: {
    title: "Fichiers endommagés",
    problem: "Des fichiers stockés sont endommagés, et personne ne peut les télécharger.",
    fix: "Vérifiez le disque, puis copiez les fichiers d’une sauvegarde ou redemandez-les.",
  },
  unknownBlobs: {
    title: "Octets sans fichier",
    problem: "Le stockage contient des octets qu’aucun fichier n’utilise. Ils seront supprimés plus tard.",
    fix: "S’il manque des fichiers, restaurez avant cela la base de données qui les connaît.",
  },
  scanner: {
    title: "Antivirus",
    problem: "Les fichiers ne sont pas analysés, ou attendent car l’antivirus ne répond pas.",
    fix: "Installez ou redémarrez clamav-daemon. filehost le trouve sans réglage.",
  },
  signatures: {
    title: "Signatures de l’antivirus",
    problem: "Les signatures de l’antivirus sont anciennes : il ne voit pas les nouveaux logiciels malveillants.",
    fix: "Vérifiez pourquoi freshclam ne reçoit pas de nouvelles signatures.",
  },
  scannerTest: {
    title: "Test de l’antivirus",
    problem: "L’antivirus ne trouve pas un motif de test, donc tous les fichiers attendent.",
    fix: "Corrigez les limites de taille dans clamd.conf, puis redémarrez clamav-daemon.",
  },
  mail: {
    title: "Serveur de messagerie",
    problem: "Le serveur de messagerie est inutilisable, ou sa connexion n’est pas chiffrée.",
    fix: "Vérifiez son nom d’hôte, son port, l’utilisateur et le mot de passe, et qu’il propose TLS.",
  },
  provider: {
    title: "Connexion par un autre fournisseur",
    problem: "Le fournisseur de connexion est inutilisable.",
    fix: "Vérifiez son adresse, caractère par caractère.",
  },
  payments: {
    title: "Paiements",
    problem: "Stripe n’est pas entièrement configuré.",
    fix: "Vérifiez la clé, le webhook et les prix des offres dans le tableau de bord de Stripe.",
  },
  memory: {
    title: "Mémoire",
    problem: "Le serveur a peu de mémoire.",
    fix: "Donnez plus de mémoire à la machine ou au conteneur.",
  },
  openFiles: {
    title: "Connexions simultanées",
    problem: "Le serveur peut ouvrir peu de fichiers, donc peu de personnes peuvent l’utiliser en même temps.",
    fix: "Augmentez la limite de fichiers ouverts, dans systemd avec LimitNOFILE=65536.",
  },
};
