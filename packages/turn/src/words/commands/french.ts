import type { CommandWords } from './command-words.ts';

export const frenchCommands: CommandWords = {
  language: 'fr',
  messageForms: 'message|messages',
  conversationForms: 'conversation|conversations',
  modelCallForms: 'appel de modèle|appels de modèle',
  callForms: 'appel|appels',
  answerForms: 'réponse|réponses',
  toolForms: 'outil|outils',
  busyCollect:
    'J’écris encore. Ce que tu envoies entre-temps reçoit une seule réponse, juste après ; /stop met fin à la réponse.',
  busyFollowup:
    'J’écris encore. Ce que tu envoies entre-temps reçoit une réponse message par message, juste après ; /stop met fin à la réponse.',
  busySteer:
    'J’y travaille. Ce que tu envoies entre-temps me parvient à ma prochaine étape, sinon la réponse vient juste après.',
  mailboxFull:
    'Trop de messages attendent déjà ici ; celui-ci n’a pas été pris, ni ceux qui suivent. Renvoie-le quand j’aurai répondu.',
  pairingUnknown: 'Je ne te connais pas encore, je n’ai donc pas lu ton message.',
  pairingCode: 'Si l’opérateur de ce bot doit te laisser entrer, donne-lui ce code : {code}',
  pairingHow:
    '(pour lui : palimpsest access approve CODE). Il sert une fois, pendant une heure. Ensuite, écris-moi de nouveau.',
  mediaTooLarge:
    'Ce fichier est trop gros pour moi : je prends jusqu’à {limit}. Envoie-en un plus petit, ou la partie qui compte.',
  mediaLost: 'Je n’ai pas pu récupérer ce fichier. Renvoie-le, s’il te plaît.',
  queueCollect: 'ce que tu envoies entre-temps reçoit une seule réponse, juste après',
  queueFollowup: 'ce que tu envoies entre-temps reçoit une réponse message par message, juste après',
  queueInterrupt: 'un nouveau message arrête la réponse et reçoit la sienne aussitôt',
  queueSteer:
    'ce que tu envoies entre-temps rejoint la réponse à sa prochaine étape, sinon la réponse vient juste après',
  queueMode: 'Pendant que j’écris, {what} ({mode}, {why}).',
  bySetting: 'selon le réglage du service',
  chosenHere: 'choisi pour cette conversation',
  queueNoMode:
    'Il n’y a pas de mode {mode} ; rien n’a changé. Il y a : {modes} ; default revient au réglage du service.',
  queueAdminsOnly:
    'Dans un groupe, seuls les opérateurs de ce bot changent ce qu’il advient des messages en attente ; rien n’a changé.',
  answerRuns: 'Une réponse est en cours ; /stop y met fin.',
  noAnswerRuns: 'Rien n’est en cours.',
  nothingWaits: 'Rien n’attend.',
  oneWaits: '{what} attend, le plus ancien depuis {time}.',
  severalWait: '{what} attendent, le plus ancien depuis {time}.',
  and: 'et',
  operatorsOnly: '/{name} est réservé aux opérateurs de ce bot ; rien n’a changé.',
  noCommand: 'Il n’y a pas de commande /{name}.',
  newChapter: 'Un nouveau chapitre commence.',
  newChapterKept: 'Un nouveau chapitre commence. Ce qui a été dit reste retrouvable.',
  chapterNotClosed: 'Le chapitre n’a pas pu être clos ({reason}).',
  freshConversation: 'Une nouvelle conversation commence.',
  noTitle: 'Cette conversation n’a pas encore de titre ; /title TEXTE lui en donne un.',
  titleIs: 'Cette conversation s’appelle {title} ; /title TEXTE lui donne un autre titre.',
  titleTooLong: 'Un titre a au plus {limit} caractères ; celui-ci en a {count}.',
  titleTaken: 'Une autre conversation ici s’appelle déjà {title} ; choisis un autre titre.',
  titleGiven: 'Cette conversation s’appelle désormais {title}.',
  noSuchTitle: 'Aucune conversation ici n’a {words} dans son titre ou son id.',
  moreSessions: '… et {count} de plus ; /sessions MOTS cherche un titre.',
  resumeHow: '/resume NUMÉRO reprend l’une d’elles.',
  nothingSaid: 'rien dit encore',
  thisOne: 'celle-ci',
  ago: 'il y a {time}',
  resumeDirectOnly:
    '/resume ne marche qu’en messages directs avec le bot : une conversation ne passe jamais d’un groupe à une personne.',
  inAlready: 'Ce chat est déjà dans {name}.',
  goesOnWith:
    'Ce chat continue avec {name} ({messages}). /resume {id} revient en arrière ; rien n’est perdu.',
  sessionsHow: '/sessions les montre ; /resume prend un numéro de cette liste, un id ou un titre.',
  whichOne: 'Laquelle ?',
  noNumber: 'Il n’y a pas de numéro {number}.',
  fitsSeveral: 'Cela correspond à {conversations}.',
  noConversation: 'Il n’y a pas de telle conversation ici.',
  retryPeopleOnly: 'Seules les personnes du chat peuvent faire répondre de nouveau à leur message.',
  retryNothing: 'Il n’y a rien à quoi répondre de nouveau.',
  retryCondensed:
    'Ce qui a été dit en dernier est dans un résumé et ne peut recevoir une nouvelle réponse. Écris-le encore une fois.',
  retryNotYours: 'Le dernier message ici n’est pas de toi ; son auteur peut demander une nouvelle réponse.',
  retried: 'Ton dernier message reçoit une nouvelle réponse ; la précédente ne compte plus.',
  undoArgument: '/undo prend un nombre entier de 1 à {most}, comme /undo 2.',
  undoAtSummary:
    'Ce qui précède est dans un résumé et ne se retire pas pièce par pièce. /undo_compaction le rétablit d’abord mot pour mot.',
  undoNothing: 'Il n’y a rien à retirer.',
  undoneOne: 'Retiré : le dernier échange ({messages}). Le modèle ne le lit ni ne le trouve plus.',
  undoneMany:
    'Retiré : les {count} derniers échanges ({messages}). Le modèle ne les lit ni ne les trouve plus.',
  undoNotAll: ' Pas {count} : ce qui précède est dans un résumé.',
  undoNoMore: ' Il n’y en avait pas plus.',
  backNone: 'Il n’y a pas de condensation à annuler.',
  backRotated:
    'La condensation a déplacé cette conversation dans une nouvelle session (compression.in_place vaut false), elle ne peut donc être annulée. Ce qui a été dit reste retrouvable.',
  backOtherEngine:
    'La dernière condensation vient du moteur {engine}, qui garde son propre état ; elle ne s’annule pas ainsi.',
  backTooBig:
    'Impossible à annuler : la conversation aurait de nouveau environ {tokens} tokens, et le modèle en accepte au plus {limit} avec la place d’une réponse. Ce qui a été dit reste retrouvable.',
  backSummaries: 'les résumés précédents sont de nouveau comme avant',
  backMessages: '{count} messages sont de nouveau dans la conversation, mot pour mot',
  backDone: 'Annulé : {what} ; environ {before} → {after} tokens. {next}',
  backNearlyFull:
    'Elle occupe presque tout ce que le modèle accepte ; le prochain message la condensera de nouveau.',
  backResting: 'Elle n’est pas condensée de nouveau avant d’avoir grandi.',
  linkDirectOnly:
    'Les comptes ne se lient qu’en messages directs avec le bot : personne d’autre ne doit voir le code.',
  linkNotLocal:
    'Le chat web local appartient à qui fait tourner ce bot ; seuls les comptes Telegram et Discord se lient.',
  linkNotHere: 'Les comptes ne peuvent pas être liés ici.',
  linkSend: 'Envoie-moi ceci en message direct depuis ton autre compte, dans l’heure : /link {code}',
  linkWarning:
    'Ce chat continue alors cette conversation. Qui a le code peut lire ce qui se dit ici ; ne le montre à personne.',
  linked:
    'Lié à ton compte sur {platform}. Ce chat continue la conversation de là-bas ; /sessions montre celles des deux, /unlink les sépare.',
  linkOwnCode: 'Ce code est le tien. Envoie-le-moi depuis ton autre compte.',
  linkLocked: 'Il y a eu trop de codes faux. Réessaie dans {minutes} minutes.',
  linkFifthWrong:
    'Ce code est faux ou vieux de plus d’une heure, et c’était le cinquième d’affilée. Réessaie dans une heure.',
  linkWrong:
    'Ce code est faux ou vieux de plus d’une heure. Envoie /link depuis ton autre compte pour en avoir un nouveau.',
  unlinked:
    'Ce compte est de nouveau seul. Une conversation partagée reste là où elle a commencé ; l’autre côté en commence une nouvelle.',
  notLinked: 'Ce compte n’est lié à aucun autre. /link donne un code pour cela.',
  forgetDirectOnly: 'Envoie-moi /forget dans un chat direct.',
  forgetAsk:
    'Ceci efface tout ce que je sais de toi, dans ce chat et dans les groupes : ce que tu as dit, ses résumés, les fichiers et qui tu es. C’est irréversible. Pour continuer, envoie /forget {code} dans les 10 minutes.',
  forgetWrong: 'Ce code est faux ou vieux de plus de 10 minutes. Envoie /forget pour en avoir un autre.',
  forgotten:
    'Effacé : {messages} messages dans {sessions} conversations, {quotes} citations, {summaries} résumés, {files} fichiers. Je ne sais plus de toi que l’adresse de ce chat.',
  whoami: 'Tu es {user} sur {platform}, compte du bot {account}, chat {chat}{thread} ({kind}).',
  youAreAdmin: ' Tu es admin ici.',
  linkedWith: ' Lié à {accounts}.',
  engineUnknown: 'Il n’y a pas de moteur de contexte {name}. {names}',
  engineAlready: 'Cette conversation tourne déjà avec {name}.',
  engineSame: 'Cette conversation tourne avec {name}{why} ; rien ne change.',
  engineFromNext:
    'Dès le prochain message, cette conversation tourne avec {name}{why}. Le modèle la lit alors une fois au prix plein.',
  asServiceSet: ', selon le réglage du service',
  engineIs: 'Cette conversation tourne avec le moteur de contexte {engine}.{change} C’est {why}. {names}',
  engineNext: ' Dès le prochain message : {name}.',
  serviceSetting: 'le réglage du service',
  engineNames: 'Il y a : {names}.',
  engineHow: '/engine NOM en choisit un, /engine default revient au réglage du service.',
  condensedNow:
    'Condensé : {rowsBefore} → {rowsAfter} messages, environ {before} → {after} tokens.{how} Les lignes anciennes restent retrouvables.',
  condensedPlain: ' Le modèle des résumés a échoué ; un résumé local simple le remplace.',
  condenseAsked: 'Avec ton prochain message, le modèle est prié de condenser d’abord ce qui est terminé.',
  asItWas: '{why} La conversation est comme avant.',
  unchangedRecent: 'Rien à condenser pour l’instant : tout est récent, ou déjà un résumé.',
  unchangedModelAsked:
    'Le modèle condense lui-même cette conversation ; /compress le lui demande avec ton prochain message.',
  unchangedOff: 'La condensation est désactivée ici ; l’opérateur peut changer cela.',
  unchangedShort: 'Rien à condenser pour l’instant : la conversation est encore courte.',
  unchangedResting:
    'La dernière tentative a échoué et la courte pause qui suit n’est pas finie. Réessaie dans quelques minutes.',
  unchangedBreaker:
    'Condenser n’a pas aidé les deux dernières fois et attend donc. Réessaie dans quelques minutes.',
  unchangedTooOften: 'Cette conversation a été condensée très souvent dans l’heure. Réessaie plus tard.',
  unchangedTimeout: 'Le résumé a pris trop de temps. Réessaie un peu plus tard.',
  unchangedBusy: 'Le modèle des résumés est occupé ou injoignable. Réessaie un peu plus tard.',
  unchangedSetup:
    'Le modèle des résumés ne peut servir tel qu’il est réglé. L’opérateur voit pourquoi dans le journal.',
  unchangedSmall: 'Le modèle des résumés est trop petit pour lire la partie ancienne de cette conversation.',
  unchangedUnusable: 'Le modèle n’a pas écrit de résumé utilisable. Réessaie.',
  unchangedMoved: 'La conversation a changé entre-temps. Réessaie.',
  unchangedStopped: 'La condensation a été arrêtée.',
  unchangedFailed: 'La condensation n’a pas réussi cette fois. L’opérateur voit pourquoi dans le journal.',
  statusContext: 'Contexte : {percent} % de {window} tokens ({tokens}, {source}).',
  countedByModel: 'compté par le modèle',
  estimated: 'estimé',
  statusNotCondensed: 'Pas encore condensé.',
  statusCondensedOnce: 'Condensé une fois ; les lignes anciennes restent retrouvables.',
  statusCondensed: 'Condensé {times} fois ; les lignes anciennes restent retrouvables.',
  statusModel: 'Modèle : {model}. Moteur : {engine}.',
  cachingOff: 'Le cache de prompt est désactivé.',
  cachingOn: 'Le cache de prompt est activé : {caching}.',
  cachingProvider: 'Le cache de prompt est laissé au fournisseur.',
  statusCost:
    'Coût jusqu’ici : {dollars} pour {calls}{unpriced} ; {cached} % de ce qui a été lu vient du cache.',
  statusUnpriced: ', dont {count} sans prix connu',
  usageNone: 'L’usage n’est pas compté ici.',
  usageLast: 'Dernière réponse : {tokens}.',
  usageAll: 'Cette conversation : {tokens}, {dollars}{unpriced}.',
  usageNoCalls: 'Aucun modèle n’a encore été interrogé dans cette conversation.',
  usageTokens: '{calls}, {read} tokens lus ({cached} % du cache), {written} écrits',
  usageUnpriced: ' (sans {calls} au prix inconnu)',
  usageToday: 'Toi aujourd’hui : {dollars}{turns} (UTC).',
  usageOf: '{used} sur {limit}',
  contextSum: 'Contexte : {tokens} sur {window} tokens, {percent} ({source}).',
  contextByPart: 'Par partie, estimé :',
  contextReserve: 'Réservé pour la réponse : {tokens}.',
  contextSystem: 'Prompt système',
  contextWhole: 'Conversation, {messages}, en partie condensée',
  contextHead: 'Début, {messages}',
  contextSummaries: 'Résumés',
  contextMiddle: 'Milieu, {messages}, condensé ensuite',
  contextTail: 'Fin, {messages}, gardée mot pour mot',
  underDollars: 'moins de {amount}',
  unknownPrice: 'inconnu',
  modelOnly: 'Il n’y a qu’un seul modèle ici.',
  modelIsDefault: 'par défaut',
  modelIsHere: 'répond ici',
  modelFacts: '{tokens} tokens{price}',
  modelPrice: ', {input} par million de tokens lus et {output} par million de tokens écrits',
  modelHowChoices: '/model NOM prend l’un d’eux pour cette conversation, /model default celui par défaut.',
  modelHowAny:
    '/model NOM prend, pour cette conversation, tout modèle dont la clé est enregistrée ; /model default revient en arrière.',
  modelAlready: '{model} répond déjà ici.',
  modelFromNext: 'Dès le prochain message, {model} répond ici : {facts}.{back}',
  modelGoesBack: ' /model default revient en arrière.',
  modelReads:
    'Sa première réponse relit toute la conversation au prix plein : environ {tokens} tokens{price}. Revenir en arrière coûte encore autant.',
  modelUnknownWindow: 'On ne sait rien de ce modèle : sa fenêtre est estimée à {tokens} tokens.',
  modelSmaller: 'Cette conversation est plus grande que sa fenêtre ; elle est condensée avant qu’il réponde.',
  modelNoName: 'Ce n’est pas un nom de modèle.',
  modelNotAllowed: 'L’opérateur autorise : {names}.',
  modelNotServed: 'Aucun fournisseur dont la clé est enregistrée ne propose {name}.',
  modelUnusable:
    '{name} n’est pas utilisable tel qu’il est configuré. L’opérateur voit pourquoi dans le journal.',
  modelUnchanged: '{why} Rien n’a changé ; /model montre ce qu’il y a.',
  previewNothing: 'Aperçu : rien ne changerait. {why}',
  previewSizes:
    'Aperçu, rien n’a changé : {rowsBefore} → {rowsAfter} messages, environ {before} → {after} tokens.',
  previewRanges: 'Les messages {ranges} seraient racontés dans le résumé.',
  previewReads:
    'Le modèle des résumés, {model}, lirait environ {read} tokens en {calls} et en écrirait au plus {written}.',
  previewPrice: 'Prix : {price}.',
  priceParts: '{summary} pour le résumé, {anew} pour relire {tokens} tokens',
  threadAlone:
    'Le modèle tient lui-même cette conversation : il n’y a ni aperçu ni sujet ; envoie /compress seul.',
  threadNothing: 'Le modèle tient lui-même cette conversation et n’a encore rien à condenser.',
  threadFailed:
    'Le modèle tient lui-même cette conversation et n’a pas pu la condenser. Elle est comme avant. {why}',
  threadCondensed:
    'Le modèle tient lui-même cette conversation et l’a condensée{size}. Chaque message reste ici tel quel.',
  threadSize: ' à environ {tokens} tokens',
  mayBeRepeat: '(peut-être une répétition)',
  restInFile: 'Ce n’est que le début. La réponse entière est dans le fichier.',
  commandFailed: 'La commande n’a pas fonctionné. L’opérateur voit pourquoi dans le journal.',
};
