import type { InstallationCheckTexts } from "./en.ts";

export const installationChecks: InstallationCheckTexts = {
  settings: {
    title: "Einstellungen",
    problem: "Der Server kennt eine seiner Einstellungen nicht.",
    fix: "Korrigieren Sie den Namen der Einstellung, oder entfernen Sie sie.",
  },
  address: {
    title: "Adresse der Website",
    problem: "Links funktionieren vielleicht nicht für andere oder werden unverschlüsselt übertragen.",
    fix: "Stellen Sie einen Reverse Proxy mit Zertifikat davor, und geben Sie die https-Adresse an, die alle benutzen.",
  },
  secret: {
    title: "Geheime Dateien",
    problem: "Eine geheime Datei fehlt, der Server kann sie nicht lesen, oder andere Benutzer der Maschine können es.",
    fix: "Lassen Sie nur den Benutzer des Servers sie lesen (chmod 600), und sichern Sie sie mit Ihren Backups.",
  },
  connections: {
    title: "Begrenzung der Verbindungen",
    problem: "Eine Person kann beliebig viele Verbindungen öffnen, weil kein Reverse Proxy davor steht.",
    fix: "Stellen Sie einen Reverse Proxy davor, der die Verbindungen je IP-Adresse begrenzt, und tragen Sie ihn als vertrauenswürdig ein.",
  },
  contentHost: {
    title: "Eigener Host für Dateien",
    problem: "Dateien kommen vom selben Host wie die Seiten. Eine Datei, die sich als Seite ausgibt, wird nur durch Header getrennt.",
    fix: "Richten Sie einen zweiten Hostnamen auf diesen Server, lassen Sie ihn vom Proxy weitergeben, und tragen Sie ihn als Adresse der Dateien ein.",
  },
  proxy: {
    title: "Reverse Proxy",
    problem: "Der Server kennt die IP-Adressen seiner Besucher vielleicht nicht, sodass sie ein Limit teilen oder umgehen können.",
    fix: "Tragen Sie die Adresse Ihres Proxys als vertrauenswürdig ein, und lassen Sie ihn die Adresse des Besuchers in X-Forwarded-For senden.",
  },
  server: {
    title: "Server",
    problem: "Unter der Adresse dieses Servers läuft ein anderes Programm, oder der Server antwortet nicht richtig.",
    fix: "Beenden Sie dieses Programm, oder wählen Sie einen anderen Port.",
  },
  publicUrl: {
    title: "Öffentliche Adresse",
    problem: "Die öffentliche Adresse führt nicht zu diesem Server.",
    fix: "Prüfen Sie Hostnamen, Proxy und Firewall. Funktioniert die Adresse von anderen Maschinen aus, ignorieren Sie das.",
  },
  mcp: {
    title: "Adresse für Agenten (MCP)",
    problem: "KI-Programme erreichen diesen Server nicht.",
    fix: "Lassen Sie den Proxy den Header Host weitergeben, und richten Sie die Adresse für MCP auf diesen Server.",
  },
  dataFolder: {
    title: "Datenordner",
    problem: "Der Ordner mit den Daten ist nicht sicher, langsam, oder der Server kann nicht hineinschreiben.",
    fix: "Geben Sie den Ordner dem Benutzer des Servers, auf einer schnellen lokalen Platte.",
  },
  freeSpace: {
    title: "Freier Speicherplatz",
    problem: "Die Platte ist fast voll. Uploads werden abgelehnt, bevor nichts mehr frei ist.",
    fix: "Schaffen Sie bald Platz, oder nehmen Sie eine größere Platte.",
  },
  database: {
    title: "Datenbank",
    problem: "Die Datenbank antwortet nicht, oder diese Version kann sie nicht benutzen.",
    fix: "Prüfen Sie, ob die Datenbank läuft, ihre Adresse und ihr Token, und wer ihre Datei lesen darf.",
  },
  databaseFile: {
    title: "Datei der Datenbank",
    problem: "Die Datei der Datenbank ist beschädigt.",
    fix: "Halten Sie den Server an, kopieren Sie den Datenordner, prüfen Sie die Platte, und stellen Sie das letzte Backup wieder her.",
  },
  databaseWrites: {
    title: "Schreiben in die Datenbank",
    problem: "Die Datenbank nimmt keine Änderungen an.",
    fix: "Beenden Sie die Transaktion, die die Datenbank sperrt, oder starten Sie den Datenbankserver neu.",
  },
  roundTrip: {
    title: "Entfernung zur Datenbank",
    problem: "Jede Abfrage der Datenbank dauert lange, und jede Seite braucht mehrere.",
    fix: "Betreiben Sie filehost im selben Rechenzentrum wie die Datenbank.",
  },
  clock: {
    title: "Uhr",
    problem: "Die Uhr dieser Maschine geht vielleicht falsch. Abgelaufenes wird nicht entfernt, bis sie stimmt.",
    fix: "Prüfen Sie die Uhr mit timedatectl, und schalten Sie ihre Synchronisierung ein.",
  },
  reports: { title: "Meldungen", problem: "Meldungen warten auf Ihre Entscheidung.", fix: "Lesen Sie die Meldungen, und entscheiden Sie." },
  mails: {
    title: "E-Mails",
    problem: "In den letzten 7 Tagen wurden E-Mails nicht angenommen.",
    fix: "Sehen Sie nach, warum, und senden Sie die E-Mails erneut, oder verwerfen Sie sie.",
  },
  s3: {
    title: "S3-Speicher",
    problem: "Der S3-Speicher erlaubt etwas nicht, das dieser Server braucht.",
    fix: "Prüfen Sie Adresse, Region, Bucket und den Zugangsschlüssel mit seinen Rechten.",
  },
  s3Address: {
    title: "Adresse des S3-Speichers",
    problem: "Browser erreichen den Speicher nicht, zu dem Downloads führen.",
    fix: "Geben Sie die öffentliche https-Adresse des Speichers an, oder leiten Sie Downloads und Uploads durch diesen Server.",
  },
  s3Cors: {
    title: "Uploads aus Browsern in S3",
    problem: "Der Speicher lässt Browser von dieser Website keine Dateien senden.",
    fix: "Erlauben Sie diese Website in den CORS-Regeln des Speichers.",
  },
  s3Lifecycle: {
    title: "Löschregeln des Buckets",
    problem: "Eine Regel des Buckets entfernt Dateien oder Uploads, die filehost noch benutzt.",
    fix: "Entfernen Sie die Regel aus dem Bucket.",
  },
  s3Versions: {
    title: "Alte Versionen im Bucket",
    problem: "Der Bucket behält alte Versionen, sodass gelöschte Dateien weiter Speicher belegen.",
    fix: "Ergänzen Sie eine Regel, die alte Versionen entfernt, oder schalten Sie Versionen aus.",
  },
  storePair: {
    title: "Dateien und Datenbank",
    problem: "Die gespeicherten Dateien und die Datenbank gehören nicht zusammen. Bis dahin wird nichts entfernt.",
    fix: "Prüfen Sie die Pfade von beiden, und stellen Sie Dateien und Datenbank aus demselben Backup wieder her.",
  },
  storedBytes: {
    title: "Beschädigte Dateien",
    problem: "Einige gespeicherte Dateien sind beschädigt, und niemand kann sie herunterladen.",
    fix: "Prüfen Sie die Platte, kopieren Sie die Dateien aus einem Backup, oder bitten Sie erneut um sie.",
  },
  unknownBlobs: {
    title: "Bytes ohne Datei",
    problem: "Der Speicher hat Bytes, die keine Datei benutzt. Sie werden später entfernt.",
    fix: "Falls Dateien fehlen, stellen Sie vorher die Datenbank wieder her, die sie kennt.",
  },
  scanner: {
    title: "Malware-Scanner",
    problem: "Dateien werden nicht geprüft oder warten, weil der Scanner nicht antwortet.",
    fix: "Installieren Sie clamav-daemon, oder starten Sie ihn neu. filehost findet ihn ohne Einstellung.",
  },
  signatures: {
    title: "Malware-Signaturen",
    problem: "Die Signaturen des Scanners sind alt, sodass er neue Malware übersieht.",
    fix: "Prüfen Sie, warum freshclam keine neuen Signaturen bekommt.",
  },
  scannerTest: {
    title: "Test des Scanners",
    problem: "Der Scanner findet ein Testmuster nicht, darum warten alle Dateien.",
    fix: "Korrigieren Sie die Größenlimits in clamd.conf, und starten Sie clamav-daemon neu.",
  },
  mail: {
    title: "Mailserver",
    problem: "Der Mailserver ist nicht benutzbar, oder seine Verbindung ist nicht verschlüsselt.",
    fix: "Prüfen Sie Hostnamen, Port, Benutzer und Passwort, und ob er TLS anbietet.",
  },
  provider: {
    title: "Anmeldung bei einem anderen Anbieter",
    problem: "Der Anmeldeanbieter ist nicht benutzbar.",
    fix: "Prüfen Sie seine Adresse Zeichen für Zeichen.",
  },
  payments: {
    title: "Zahlungen",
    problem: "Stripe ist nicht vollständig eingerichtet.",
    fix: "Prüfen Sie Schlüssel, Webhook und Preise der Tarife im Dashboard von Stripe.",
  },
  memory: {
    title: "Arbeitsspeicher",
    problem: "Der Server hat wenig Arbeitsspeicher.",
    fix: "Geben Sie der Maschine oder dem Container mehr Arbeitsspeicher.",
  },
  openFiles: {
    title: "Gleichzeitige Verbindungen",
    problem: "Der Server darf wenige Dateien öffnen, darum können ihn nur wenige gleichzeitig benutzen.",
    fix: "Erhöhen Sie das Limit offener Dateien, in systemd mit LimitNOFILE=65536.",
  },
};
