import { germanCommands } from './commands/german.ts';
import type { Words } from './words.ts';

export const german: Words = {
  ...germanCommands,
  failedOverflow:
    'Dieses Gespräch passt auch verdichtet nicht mehr in das Modell. /new beginnt ein neues Kapitel; nichts geht verloren.',
  failedBusy:
    'Das Modell ist ausgelastet und hat nicht rechtzeitig geantwortet. Bitte schreib in einer Weile noch einmal.',
  failedQuota:
    'Das Kontingent des Modells ist aufgebraucht{until}, ich kann gerade nicht antworten. Der Betreiber erfährt es aus dem Protokoll.',
  forMinutes: ', noch {count} Minuten',
  forHours: ', noch etwa {count} Stunden',
  failedSetup:
    'Das Modell lässt sich so, wie es eingerichtet ist, nicht benutzen. Der Betreiber erfährt es aus dem Protokoll.',
  failedUnreachable: 'Das Modell war nicht erreichbar oder brach ab. Bitte schreib noch einmal.',
  failedRefused: 'Das Modell hat die Anfrage abgelehnt. Der Betreiber erfährt es aus dem Protokoll.',
  failedStopped: 'Die Antwort wurde angehalten.',
  messageKept: 'Deine Nachricht bleibt erhalten.',
  droppedOne: ' Eine wartende Nachricht wurde verworfen.',
  droppedMany: ' {count} wartende Nachrichten wurden verworfen.',
  stopped: 'Angehalten.',
  interrupted: 'Für deine neuere Nachricht angehalten.',
  stopping: 'Die Antwort wird angehalten.',
  nothingRuns: 'Es läuft gerade nichts.',
  answerIsOver: 'Diese Antwort war schon zu Ende; es wurde nichts angehalten.',
  buried:
    'Auch nach mehreren Versuchen kam keine Antwort auf deine letzte Nachricht zustande. Sie bleibt erhalten; bitte schick sie noch einmal oder formuliere sie anders.',
  cut: '(die Antwort ist an ihrer Längengrenze; „weiter“ bringt mehr)',
  timedOut: 'Die Antwort dauerte zu lange und wurde beendet. „Weiter“ setzt sie fort.',
  condensing:
    'Einen Moment: Vor der Antwort verdichte ich den älteren Teil unseres Gesprächs. Nichts geht verloren.',
  condensed:
    'Ich habe vor der Antwort den älteren Teil unseres Gesprächs verdichtet. Nichts ist verloren: Ich kann alles weiterhin nachschlagen.',
  condensedLocally:
    'Unser Gespräch ist lang geworden, und seine Zusammenfassung war nicht rechtzeitig fertig. Ich mache mit einem knappen Abriss des älteren Teils weiter; nichts ist verloren, ich kann alles weiterhin nachschlagen.',
  notCondensed:
    'Ich konnte den älteren Teil unseres Gesprächs gerade nicht verdichten; er bleibt, wie er ist. Werden Antworten langsam, versucht es /compress noch einmal, und /new beginnt von vorn.',
  mainTookOver:
    '{failed}, das meine Zusammenfassungen schreibt, ist ausgefallen; die neueste schrieb {wrote} und las dafür den älteren Teil unseres Gesprächs noch einmal zum vollen Preis. Nichts ist verloren.',
  fellBack: '{from} antwortet nicht ({why}); stattdessen antwortet {to}. {price}',
  cameBack: 'Statt {from} wird wieder {to} versucht. {price}',
  fullPrice: 'Es liest das ganze Gespräch neu zum vollen Preis, etwa {tokens} Token.',
  becauseOverflow: 'das Gespräch passt auch verdichtet nicht mehr hinein',
  becauseBusy: 'es ist ausgelastet',
  becauseQuota: 'sein Kontingent ist aufgebraucht',
  becauseSetup: 'so, wie es eingerichtet ist, geht es nicht',
  becauseUnreachable: 'es ist nicht erreichbar',
  answersUsedUp:
    'Deine Antworten für heute ({limit}) sind aufgebraucht. Um Mitternacht UTC beginnt die Zählung neu. Deine Nachricht bleibt erhalten.',
  budgetUsedUp:
    'Dein Budget für heute ({limit}) ist aufgebraucht, ich kann gerade nicht antworten. Es beginnt um Mitternacht UTC neu. Deine Nachricht bleibt erhalten.',
  botBudgetUsedUp:
    'Das Budget dieses Bots für heute ({limit}) ist aufgebraucht, ich kann gerade nicht antworten. Es beginnt um Mitternacht UTC neu. Deine Nachricht bleibt erhalten.',
  answersNearlyUsed: '{used} deiner {limit} Antworten für heute sind verbraucht.',
  budgetNearlyUsed: '{used} deines Budgets für heute ({limit}) sind verbraucht; {left} bleiben.',
  botBudgetNearlyUsed: '{used} vom Budget dieses Bots für heute ({limit}) sind verbraucht; {left} bleiben.',
  fileTooLarge:
    'Ich habe die Datei {name} für dich, aber sie hat {size}, und mehr als {limit} kann ich hier nicht senden.',
  fileNotTaken: 'Ich habe die Datei {name} für dich, aber sie lässt sich hier nicht senden.',
  menu: {
    new: 'ein neues Kapitel beginnen; ältere Zeilen bleiben auffindbar',
    reset: 'diese Sitzung beenden und eine neue beginnen; alles bleibt auffindbar',
    stop: 'die laufende Antwort anhalten',
    status: 'wie voll der Kontext ist und was läuft',
    queue: 'was hinter der laufenden Antwort wartet; mit einem Modus: was daraus wird',
    compress: 'Älteres jetzt verdichten; mit Thema bleibt es genau, --preview schaut nur',
    model: 'Modelle zur Wahl; mit Namen: dieses benutzen; default: zurück',
    undo: 'den letzten Austausch zurücknehmen; mit Zahl: die letzten so vielen',
    retry: 'deine letzte Nachricht noch einmal beantworten lassen',
    undo_compaction: 'die letzte Verdichtung zurücknehmen',
    engine: 'welche Engine den Kontext klein hält; mit Namen: eine andere wählen',
    usage: 'Token und Kosten der letzten Antwort, des Gesprächs und deines Tages',
    context: 'was das Fenster des Modells füllt, nach Teilen',
    title: 'wie dieses Gespräch heißt; mit Text: so benennen',
    sessions: 'Gespräche hier, neueste zuerst; mit Wörtern: nach Titel suchen',
    resume: 'mit einem anderen deiner Gespräche weitermachen: Nummer, Id oder Titel',
    link: 'dieses Gespräch von deinem anderen Konto aus fortsetzen',
    unlink: 'dieses Konto wieder von deinen anderen trennen',
    forget: 'alles löschen, was über dich bekannt ist, nach einer Bestätigung',
    whoami: 'deine Ids, für den Betreiber',
    help: 'diese Liste',
  },
};
