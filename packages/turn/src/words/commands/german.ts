import type { CommandWords } from './command-words.ts';

export const germanCommands: CommandWords = {
  language: 'de',
  messageForms: 'Nachricht|Nachrichten',
  conversationForms: 'Gespräch|Gespräche',
  modelCallForms: 'Modellaufruf|Modellaufrufe',
  callForms: 'Aufruf|Aufrufe',
  answerForms: 'Antwort|Antworten',
  toolForms: 'Werkzeug|Werkzeuge',
  busyCollect:
    'Ich schreibe noch. Was du inzwischen sendest, wird gleich danach zusammen beantwortet; /stop beendet die Antwort.',
  busyFollowup:
    'Ich schreibe noch. Was du inzwischen sendest, wird gleich danach einzeln beantwortet; /stop beendet die Antwort.',
  busySteer:
    'Ich bin dabei. Was du inzwischen sendest, erreicht mich beim nächsten Schritt, sonst wird es gleich danach beantwortet.',
  mailboxFull:
    'Hier warten schon zu viele Nachrichten; diese wurde nicht angenommen, und was folgt auch nicht. Bitte schick sie noch einmal, sobald ich geantwortet habe.',
  pairingUnknown: 'Ich kenne dich noch nicht und habe deine Nachricht deshalb nicht gelesen.',
  pairingCode: 'Wenn der Betreiber dieses Bots dich einlassen soll, gib ihm diesen Code: {code}',
  pairingHow:
    '(für ihn: palimpsest access approve CODE). Er gilt einmal, eine Stunde lang. Danach schreib mir noch einmal.',
  mediaTooLarge:
    'Diese Datei ist zu groß für mich: Ich nehme bis zu {limit}. Bitte schick eine kleinere oder den Teil, um den es geht.',
  mediaLost: 'Ich konnte diese Datei nicht abrufen. Bitte schick sie noch einmal.',
  queueCollect: 'wird das, was du inzwischen sendest, gleich danach zusammen beantwortet',
  queueFollowup: 'wird das, was du inzwischen sendest, gleich danach einzeln beantwortet',
  queueInterrupt: 'hält eine neue Nachricht die Antwort an und wird sofort beantwortet',
  queueSteer:
    'erreicht das, was du inzwischen sendest, die Antwort beim nächsten Schritt, sonst wird es gleich danach beantwortet',
  queueMode: 'Während ich schreibe, {what} ({mode}, {why}).',
  bySetting: 'wie der Dienst eingestellt ist',
  chosenHere: 'für dieses Gespräch gewählt',
  queueNoMode:
    'Es gibt keinen Modus {mode}; nichts wurde geändert. Es gibt: {modes}; default kehrt zur Einstellung des Dienstes zurück.',
  queueAdminsOnly:
    'In einer Gruppe ändern nur die Betreiber dieses Bots, was aus wartenden Nachrichten wird; nichts wurde geändert.',
  answerRuns: 'Gerade wird eine Antwort geschrieben; /stop beendet sie.',
  noAnswerRuns: 'Es läuft gerade nichts.',
  nothingWaits: 'Nichts wartet.',
  oneWaits: '{what} wartet, am längsten seit {time}.',
  severalWait: '{what} warten, am längsten seit {time}.',
  and: 'und',
  operatorsOnly: '/{name} ist den Betreibern dieses Bots vorbehalten; nichts wurde geändert.',
  noCommand: 'Es gibt keinen Befehl /{name}.',
  newChapter: 'Ein neues Kapitel beginnt.',
  newChapterKept: 'Ein neues Kapitel beginnt. Was vorher gesagt wurde, bleibt auffindbar.',
  chapterNotClosed: 'Das Kapitel ließ sich nicht schließen ({reason}).',
  freshConversation: 'Ein neues Gespräch beginnt.',
  noTitle: 'Dieses Gespräch hat noch keinen Titel; /title TEXT gibt ihm einen.',
  titleIs: 'Dieses Gespräch heißt {title}; /title TEXT gibt ihm einen anderen Titel.',
  titleTooLong: 'Ein Titel hat höchstens {limit} Zeichen; dieser hat {count}.',
  titleTaken: 'Ein anderes Gespräch hier heißt schon {title}; bitte wähle einen anderen Titel.',
  titleGiven: 'Dieses Gespräch heißt ab jetzt {title}.',
  noSuchTitle: 'Kein Gespräch hier hat {words} in Titel oder Id.',
  moreSessions: '… und {count} weitere; /sessions WÖRTER sucht nach einem Titel.',
  resumeHow: '/resume NUMMER macht mit einem davon weiter.',
  nothingSaid: 'noch nichts gesagt',
  thisOne: 'dieses',
  resumeDirectOnly:
    '/resume geht nur in Direktnachrichten mit dem Bot: Ein Gespräch wandert nie zwischen einer Gruppe und einer Person.',
  inAlready: 'Dieser Chat ist schon in {name}.',
  goesOnWith:
    'Dieser Chat macht mit {name} weiter ({messages}). /resume {id} kehrt zurück; von beiden geht nichts verloren.',
  sessionsHow: '/sessions zeigt sie; /resume nimmt eine Nummer dieser Liste, eine Id oder einen Titel.',
  whichOne: 'Welches?',
  noNumber: 'Eine Nummer {number} gibt es nicht.',
  fitsSeveral: 'Das passt auf {conversations}.',
  noConversation: 'Ein solches Gespräch gibt es hier nicht.',
  retryPeopleOnly: 'Nur wer im Chat schreibt, kann seine Nachricht noch einmal beantworten lassen.',
  retryNothing: 'Es gibt nichts, was noch einmal zu beantworten wäre.',
  retryCondensed:
    'Was zuletzt gesagt wurde, steht in einer Zusammenfassung und lässt sich nicht noch einmal beantworten. Bitte schreib es noch einmal.',
  retryNotYours:
    'Die letzte Nachricht hier ist nicht deine; wer sie schrieb, kann sie noch einmal beantworten lassen.',
  retried: 'Deine letzte Nachricht wird noch einmal beantwortet; die Antwort davor gilt nicht mehr.',
  undoArgument: '/undo nimmt eine ganze Zahl von 1 bis {most}, etwa /undo 2.',
  undoAtSummary:
    'Was davor gesagt wurde, steht in einer Zusammenfassung und lässt sich nicht stückweise zurücknehmen. /undo_compaction holt es zuerst Wort für Wort zurück.',
  undoNothing: 'Es gibt nichts zurückzunehmen.',
  undoneOne: 'Zurückgenommen: der letzte Austausch ({messages}). Das Modell liest und findet ihn nicht mehr.',
  undoneMany:
    'Zurückgenommen: die letzten {count} Wechsel ({messages}). Das Modell liest und findet sie nicht mehr.',
  undoNotAll: ' Nicht {count}: Was davor gesagt wurde, steht in einer Zusammenfassung.',
  undoNoMore: ' Mehr gab es nicht.',
  backNone: 'Es gibt keine Verdichtung zurückzunehmen.',
  backRotated:
    'Beim Verdichten zog dieses Gespräch in eine neue Sitzung um (compression.in_place ist false), darum lässt es sich nicht zurücknehmen. Was vorher gesagt wurde, bleibt auffindbar.',
  backOtherEngine:
    'Die letzte Verdichtung machte die Engine {engine}, die einen eigenen Zustand führt; so lässt sie sich nicht zurücknehmen.',
  backTooBig:
    'Das lässt sich nicht zurücknehmen: Das Gespräch hätte wieder etwa {tokens} Token, und höchstens {limit} passen mit Platz für eine Antwort ins Modell. Was vorher gesagt wurde, bleibt auffindbar.',
  backSummaries: 'frühere Zusammenfassungen stehen wieder wie zuvor',
  backMessages: '{count} Nachrichten stehen wieder Wort für Wort im Gespräch',
  backDone: 'Zurückgenommen: {what}; etwa {before} → {after} Token. {next}',
  backNearlyFull:
    'Es füllt fast alles, was das Modell fasst, darum verdichtet es die nächste Nachricht wieder.',
  backResting: 'Es wird erst wieder verdichtet, wenn es gewachsen ist.',
  linkDirectOnly:
    'Konten werden nur in Direktnachrichten mit dem Bot verknüpft: Niemand sonst darf den Code sehen.',
  linkNotLocal:
    'Der lokale Web-Chat gehört dem Betreiber dieses Bots; nur Konten von Telegram und Discord werden verknüpft.',
  linkNotHere: 'Konten lassen sich hier nicht verknüpfen.',
  linkSend:
    'Schick mir das innerhalb einer Stunde als Direktnachricht von deinem anderen Konto: /link {code}',
  linkWarning:
    'Jener Chat macht dann mit diesem Gespräch weiter. Wer den Code hat, kann lesen, was hier gesagt wird; zeig ihn niemandem.',
  linked:
    'Verknüpft mit deinem Konto auf {platform}. Dieser Chat macht mit dem Gespräch von dort weiter; /sessions zeigt die von beiden, /unlink trennt sie wieder.',
  linkOwnCode: 'Das ist dein eigener Code. Schick ihn mir von deinem anderen Konto.',
  linkLocked: 'Es gab zu viele falsche Codes. Versuch es in {minutes} Minuten noch einmal.',
  linkFifthWrong:
    'Dieser Code ist falsch oder älter als eine Stunde, und es war der fünfte in Folge. Versuch es in einer Stunde noch einmal.',
  linkWrong:
    'Dieser Code ist falsch oder älter als eine Stunde. Schick /link von deinem anderen Konto für einen neuen.',
  unlinked:
    'Dieses Konto steht wieder für sich. Ein geteiltes Gespräch bleibt, wo es begann; die andere Seite beginnt mit ihrer nächsten Nachricht ein neues.',
  notLinked: 'Dieses Konto ist mit keinem anderen verknüpft. /link gibt dafür einen Code.',
  forgetDirectOnly: 'Bitte schick mir /forget in einem Direktchat.',
  forgetAsk:
    'Das löscht alles, was ich über dich weiß, in diesem Chat und in Gruppen: was du gesagt hast, Zusammenfassungen davon, Dateien und wer du bist. Es lässt sich nicht zurücknehmen. Zum Fortfahren schick innerhalb von 10 Minuten /forget {code}.',
  forgetWrong: 'Dieser Code ist falsch oder älter als 10 Minuten. Schick /forget für einen neuen.',
  forgotten:
    'Gelöscht: {messages} Nachrichten in {sessions} Gesprächen, {quotes} Zitate daraus, {summaries} Zusammenfassungen, {files} Dateien. Ich weiß nichts mehr von dir als die Adresse dieses Chats.',
  whoami: 'Du bist {user} auf {platform}, Bot-Konto {account}, Chat {chat}{thread} ({kind}).',
  youAreAdmin: ' Du bist hier Admin.',
  linkedWith: ' Verknüpft mit {accounts}.',
  engineUnknown: 'Es gibt keine Kontext-Engine {name}. {names}',
  engineAlready: 'Dieses Gespräch läuft schon mit {name}.',
  engineSame: 'Dieses Gespräch läuft mit {name}{why}; nichts ändert sich.',
  engineFromNext:
    'Ab der nächsten Nachricht läuft dieses Gespräch mit {name}{why}. Das Modell liest es dann einmal zum vollen Preis.',
  asServiceSet: ', wie der Dienst eingestellt ist',
  engineIs: 'Dieses Gespräch läuft mit der Kontext-Engine {engine}.{change} Sie ist {why}. {names}',
  engineNext: ' Ab der nächsten Nachricht: {name}.',
  serviceSetting: 'die Einstellung des Dienstes',
  engineNames: 'Es gibt: {names}.',
  engineHow: '/engine NAME wählt eine, /engine default kehrt zur Einstellung des Dienstes zurück.',
  condensedNow:
    'Verdichtet: {rowsBefore} → {rowsAfter} Nachrichten, etwa {before} → {after} Token.{how} Ältere Zeilen bleiben auffindbar.',
  condensedPlain:
    ' Das Modell für Zusammenfassungen fiel aus, darum steht ein einfacher Abriss an seiner Stelle.',
  condenseAsked:
    'Mit deiner nächsten Nachricht wird das Modell gebeten, zuerst Abgeschlossenes zu verdichten.',
  asItWas: '{why} Das Gespräch ist, wie es war.',
  unchangedRecent: 'Noch nichts zu verdichten: Alles im Gespräch ist neu oder schon eine Zusammenfassung.',
  unchangedModelAsked:
    'Das Modell verdichtet dieses Gespräch selbst; /compress bittet es mit deiner nächsten Nachricht darum.',
  unchangedOff: 'Verdichten ist hier ausgeschaltet; der Betreiber kann das ändern.',
  unchangedShort: 'Noch nichts zu verdichten: Das Gespräch ist noch kurz.',
  unchangedResting:
    'Der letzte Versuch gelang nicht, und die kurze Ruhe danach ist noch nicht um. Bitte versuch es in ein paar Minuten noch einmal.',
  unchangedBreaker:
    'Verdichten half die letzten beiden Male nicht und ruht deshalb. Bitte versuch es in ein paar Minuten noch einmal.',
  unchangedTooOften:
    'Dieses Gespräch wurde in der letzten Stunde sehr oft verdichtet. Bitte versuch es später noch einmal.',
  unchangedTimeout: 'Die Zusammenfassung dauerte zu lange. Bitte versuch es in einer Weile noch einmal.',
  unchangedBusy:
    'Das Modell für Zusammenfassungen ist ausgelastet oder war nicht erreichbar. Bitte versuch es in einer Weile noch einmal.',
  unchangedSetup:
    'Das Modell für Zusammenfassungen lässt sich so, wie es eingerichtet ist, nicht benutzen. Der Betreiber sieht im Protokoll, warum.',
  unchangedSmall:
    'Das Modell für Zusammenfassungen ist zu klein, um den älteren Teil dieses Gesprächs zu lesen.',
  unchangedUnusable: 'Das Modell schrieb keine brauchbare Zusammenfassung. Bitte versuch es noch einmal.',
  unchangedMoved: 'Das Gespräch hat sich inzwischen geändert. Bitte versuch es noch einmal.',
  unchangedStopped: 'Das Verdichten wurde angehalten.',
  unchangedFailed: 'Das Verdichten gelang diesmal nicht. Der Betreiber sieht im Protokoll, warum.',
  statusContext: 'Kontext: {percent} % von {window} Token ({tokens}, {source}).',
  countedByModel: 'vom Modell gezählt',
  countedAtAnswer: 'vom Modell bei der letzten Antwort gezählt, {ago}',
  estimated: 'geschätzt',
  statusNotCondensed: 'Noch nicht verdichtet.',
  statusCondensedOnce: 'Einmal verdichtet; ältere Zeilen bleiben auffindbar.',
  statusCondensed: '{times} Mal verdichtet; ältere Zeilen bleiben auffindbar.',
  statusModel: 'Modell: {model}. Engine: {engine}.',
  cachingOff: 'Prompt-Caching ist aus.',
  cachingOn: 'Prompt-Caching ist an: {caching}.',
  cachingProvider: 'Prompt-Caching bleibt dem Anbieter überlassen.',
  statusCost: 'Kosten bisher: {dollars} für {calls}{unpriced}; {cached} % des Gelesenen kamen aus dem Cache.',
  statusUnpriced: ', davon {count} ohne bekannten Preis',
  usageNone: 'Der Verbrauch wird hier nicht gezählt.',
  usageLast: 'Letzte Antwort: {tokens}.',
  usageAll: 'Dieses Gespräch: {tokens}, {dollars}{unpriced}.',
  usageNoCalls: 'In diesem Gespräch wurde noch kein Modell gefragt.',
  usageTokens: '{calls}, {read} Token gelesen ({cached} % aus dem Cache), {written} geschrieben',
  usageUnpriced: ' (ohne {calls}, deren Preis nicht bekannt ist)',
  usageToday: 'Du heute: {dollars}{turns} (UTC).',
  usageOf: '{used} von {limit}',
  contextSum: 'Kontext: {tokens} von {window} Token, {percent} ({source}).',
  contextByPart: 'Nach Teilen, geschätzt:',
  contextReserve: 'Frei für die Antwort: {tokens}.',
  contextSystem: 'Systemprompt',
  contextWhole: 'Gespräch, {messages}, teils verdichtet',
  contextHead: 'Anfang, {messages}',
  contextSummaries: 'Zusammenfassungen',
  contextMiddle: 'Mitte, {messages}, wird als Nächstes verdichtet',
  contextTail: 'Ende, {messages}, bleibt Wort für Wort',
  underDollars: 'unter {amount}',
  unknownPrice: 'unbekannt',
  modelOnly: 'Hier gibt es nur ein Modell.',
  modelIsDefault: 'Standard',
  modelIsHere: 'antwortet hier',
  modelFacts: '{tokens} Token{price}',
  modelPrice: ', {input} je Million gelesener und {output} je Million geschriebener Token',
  modelHowChoices: '/model NAME nimmt eines davon für dieses Gespräch, /model default das übliche.',
  modelHowAny:
    '/model NAME nimmt für dieses Gespräch jedes Modell, für das ein Schlüssel hinterlegt ist; /model default geht zurück.',
  modelAlready: '{model} antwortet hier schon.',
  modelFromNext: 'Von der nächsten Nachricht an antwortet hier {model}: {facts}.{back}',
  modelGoesBack: ' /model default geht zurück.',
  modelReads:
    'Seine erste Antwort liest das ganze Gespräch neu zum vollen Preis: etwa {tokens} Token{price}. Zurückzugehen kostet das noch einmal.',
  modelUnknownWindow:
    'Über dieses Modell ist nichts bekannt: Sein Fenster wird mit {tokens} Token angenommen.',
  modelSmaller: 'Dieses Gespräch ist größer als sein Fenster und wird verdichtet, bevor es antwortet.',
  modelNoName: 'Das ist kein Name eines Modells.',
  modelNotAllowed: 'Der Betreiber erlaubt: {names}.',
  modelNotServed: 'Kein Anbieter, für den ein Schlüssel hinterlegt ist, hat {name}.',
  modelUnusable:
    '{name} lässt sich so, wie es eingerichtet ist, nicht benutzen. Der Betreiber sieht im Protokoll, warum.',
  modelUnchanged: '{why} Nichts ist geändert; /model zeigt, was es gibt.',
  previewNothing: 'Vorschau: Es würde sich nichts ändern. {why}',
  previewSizes:
    'Vorschau, nichts ist geändert: {rowsBefore} → {rowsAfter} Nachrichten, etwa {before} → {after} Token.',
  previewRanges: 'Die Nachrichten {ranges} stünden dann in der Zusammenfassung.',
  previewReads:
    'Das Modell für Zusammenfassungen, {model}, läse etwa {read} Token ({calls}) und schriebe höchstens {written}.',
  previewPrice: 'Preis: {price}.',
  priceParts: '{summary} für die Zusammenfassung, {anew} für {tokens} neu gelesene Token',
  threadAlone:
    'Das Modell selbst hält dieses Gespräch: Es gibt keine Vorschau und kein Thema; sende /compress allein.',
  threadNothing: 'Das Modell selbst hält dieses Gespräch und hat noch nichts zu verdichten.',
  threadFailed:
    'Das Modell selbst hält dieses Gespräch und konnte es nicht verdichten. Es ist, wie es war. {why}',
  threadCondensed:
    'Das Modell selbst hält dieses Gespräch und hat es verdichtet{size}. Jede Nachricht hier bleibt, wie sie war.',
  threadSize: ' auf etwa {tokens} Token',
  mayBeRepeat: '(vielleicht eine Wiederholung)',
  restInFile: 'Das ist nur der Anfang. Die ganze Antwort steht in der Datei.',
  commandFailed: 'Der Befehl hat nicht geklappt. Der Betreiber sieht im Protokoll, warum.',
  quoted: '„{text}“',
  directChat: 'direkt',
  groupChat: 'Gruppe',
  inThread: ', Thema {id}',
};
