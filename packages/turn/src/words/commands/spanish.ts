import type { CommandWords } from './command-words.ts';

export const spanishCommands: CommandWords = {
  language: 'es',
  messageForms: 'mensaje|mensajes',
  conversationForms: 'conversación|conversaciones',
  modelCallForms: 'llamada al modelo|llamadas al modelo',
  callForms: 'llamada|llamadas',
  answerForms: 'respuesta|respuestas',
  toolForms: 'herramienta|herramientas',
  busyCollect:
    'Todavía estoy escribiendo. Lo que envíes mientras tanto se contesta junto, justo después; /stop termina la respuesta.',
  busyFollowup:
    'Todavía estoy escribiendo. Lo que envíes mientras tanto se contesta uno por uno, justo después; /stop termina la respuesta.',
  busySteer:
    'Estoy en ello. Lo que envíes mientras tanto me llega en el siguiente paso; si no, se contesta justo después.',
  mailboxFull:
    'Aquí ya esperan demasiados mensajes; este no se ha aceptado, y lo que sigue tampoco. Envíalo otra vez cuando haya respondido.',
  pairingUnknown: 'Todavía no te conozco, así que no he leído tu mensaje.',
  pairingCode: 'Si quieres que el operador de este bot te deje entrar, dale este código: {code}',
  pairingHow:
    '(para el operador: palimpsest access approve CODE). Vale una vez, durante una hora. Después escríbeme de nuevo.',
  mediaTooLarge:
    'Ese archivo es demasiado grande para mí: acepto hasta {limit}. Envía uno más pequeño o la parte que importa.',
  mediaLost: 'No he podido descargar ese archivo. Envíalo otra vez.',
  queueCollect: 'lo que envíes se contesta junto, justo después',
  queueFollowup: 'lo que envíes se contesta uno por uno, justo después',
  queueInterrupt: 'un mensaje nuevo detiene la respuesta y se contesta enseguida',
  queueSteer: 'lo que envíes llega a la respuesta en su siguiente paso; si no, se contesta justo después',
  queueMode: 'Mientras escribo, {what} ({mode}, {why}).',
  bySetting: 'según la configuración del servicio',
  chosenHere: 'elegido para esta conversación',
  queueNoMode:
    'No hay ningún modo {mode}; no se ha cambiado nada. Hay: {modes}; default vuelve a la configuración del servicio.',
  queueAdminsOnly:
    'En un grupo solo los operadores de este bot cambian qué se hace con los mensajes que esperan; no se ha cambiado nada.',
  answerRuns: 'Se está escribiendo una respuesta; /stop la termina.',
  noAnswerRuns: 'No hay nada en curso.',
  nothingWaits: 'No espera nada.',
  oneWaits: '{what} espera; lo más antiguo, desde hace {time}.',
  severalWait: '{what} esperan; lo más antiguo, desde hace {time}.',
  and: 'y',
  operatorsOnly: '/{name} es para los operadores de este bot; no se ha cambiado nada.',
  noCommand: 'No hay ningún comando /{name}.',
  newChapter: 'Empieza un capítulo nuevo.',
  newChapterKept: 'Empieza un capítulo nuevo. Lo dicho antes se puede seguir buscando.',
  chapterNotClosed: 'No se pudo cerrar el capítulo ({reason}).',
  freshConversation: 'Empieza una conversación nueva.',
  noTitle: 'Esta conversación aún no tiene título; /title TEXTO le da uno.',
  titleIs: 'Esta conversación se llama {title}; /title TEXTO le da otro título.',
  titleTooLong: 'Un título tiene como máximo {limit} caracteres; este tiene {count}.',
  titleTaken: 'Otra conversación de aquí ya se llama {title}; elige otro título.',
  titleGiven: 'Desde ahora esta conversación se llama {title}.',
  noSuchTitle: 'Ninguna conversación de aquí tiene {words} en su título o id.',
  moreSessions: '… y {count} más; /sessions PALABRAS busca un título.',
  resumeHow: '/resume NÚMERO sigue con una de ellas.',
  nothingSaid: 'nada dicho todavía',
  thisOne: 'esta',
  ago: 'hace {time}',
  resumeDirectOnly:
    '/resume solo funciona en mensajes directos con el bot: una conversación nunca pasa de un grupo a una persona ni al revés.',
  inAlready: 'Este chat ya está en {name}.',
  goesOnWith:
    'Este chat sigue con {name} ({messages}). /resume {id} vuelve atrás; no se pierde nada de ninguna.',
  sessionsHow: '/sessions las muestra; /resume acepta un número de esa lista, un id o un título.',
  whichOne: '¿Cuál?',
  noNumber: 'No hay ningún número {number}.',
  fitsSeveral: 'Eso coincide con {conversations}.',
  noConversation: 'Aquí no hay tal conversación.',
  retryPeopleOnly: 'Solo quien escribe en el chat puede pedir que se responda de nuevo su mensaje.',
  retryNothing: 'No hay nada que responder de nuevo.',
  retryCondensed:
    'Lo último que se dijo está en un resumen, así que no se puede responder de nuevo. Escríbelo otra vez.',
  retryNotYours: 'El último mensaje de aquí no es tuyo; quien lo escribió puede pedir otra respuesta.',
  retried: 'Tu último mensaje se responde de nuevo; la respuesta anterior ya no cuenta.',
  undoArgument: '/undo acepta un número entero de 1 a {most}, como /undo 2.',
  undoAtSummary:
    'Lo dicho antes está en un resumen y no se puede retirar por partes. /undo_compaction lo recupera antes palabra por palabra.',
  undoNothing: 'No hay nada que retirar.',
  undoneOne: 'Retirado: el último intercambio ({messages}). El modelo ya no lo lee ni lo encuentra.',
  undoneMany:
    'Retirado: los últimos {count} intercambios ({messages}). El modelo ya no los lee ni los encuentra.',
  undoNotAll: ' No {count}: lo dicho antes está en un resumen.',
  undoNoMore: ' No había más.',
  backNone: 'No hay ninguna condensación que retirar.',
  backRotated:
    'Al condensar, esta conversación pasó a una sesión nueva (compression.in_place es false), así que no se puede deshacer. Lo dicho antes se puede seguir buscando.',
  backOtherEngine:
    'La última condensación la hizo el motor {engine}, que guarda un estado propio; así no se puede deshacer.',
  backTooBig:
    'No se puede deshacer: la conversación volvería a tener unos {tokens} tokens, y caben como máximo {limit} en el modelo con sitio para una respuesta. Lo dicho antes se puede seguir buscando.',
  backSummaries: 'los resúmenes anteriores vuelven a estar como estaban',
  backMessages: '{count} mensajes están de nuevo en la conversación, palabra por palabra',
  backDone: 'Deshecho: {what}; unos {before} → {after} tokens. {next}',
  backNearlyFull:
    'Ocupa casi todo lo que admite el modelo, así que el próximo mensaje la condensará de nuevo.',
  backResting: 'No se condensa otra vez hasta que haya crecido.',
  linkDirectOnly:
    'Las cuentas solo se enlazan en mensajes directos con el bot: nadie más debe ver el código.',
  linkNotLocal:
    'El chat web local es de quien opera este bot; solo se enlazan cuentas de Telegram y Discord.',
  linkNotHere: 'Aquí no se pueden enlazar cuentas.',
  linkSend: 'Envíame esto en un mensaje directo desde tu otra cuenta, en menos de una hora: /link {code}',
  linkWarning:
    'Ese chat sigue entonces con esta conversación. Quien tenga el código puede leer lo que se dice aquí; no se lo enseñes a nadie.',
  linked:
    'Enlazado con tu cuenta de {platform}. Este chat sigue con la conversación de allí; /sessions muestra las de ambas, /unlink las separa de nuevo.',
  linkOwnCode: 'Ese código es el tuyo. Envíamelo desde tu otra cuenta.',
  linkLocked: 'Hubo demasiados códigos erróneos. Inténtalo de nuevo en {minutes} minutos.',
  linkFifthWrong:
    'Ese código es erróneo o tiene más de una hora, y era el quinto seguido. Inténtalo en una hora.',
  linkWrong:
    'Ese código es erróneo o tiene más de una hora. Envía /link desde tu otra cuenta para obtener otro.',
  unlinked:
    'Esta cuenta vuelve a estar sola. Una conversación compartida se queda donde empezó; el otro lado empieza una nueva con su próximo mensaje.',
  notLinked: 'Esta cuenta no está enlazada con ninguna otra. /link da un código para ello.',
  forgetDirectOnly: 'Envíame /forget en un chat directo.',
  forgetAsk:
    'Esto borra todo lo que sé de ti, en este chat y en grupos: lo que dijiste, sus resúmenes, archivos y quién eres. No se puede deshacer. Para seguir envía /forget {code} en menos de 10 minutos.',
  forgetWrong: 'Ese código es erróneo o tiene más de 10 minutos. Envía /forget para obtener otro.',
  forgotten:
    'Borrado: {messages} mensajes en {sessions} conversaciones, {quotes} citas de ellos, {summaries} resúmenes, {files} archivos. Ya solo sé la dirección de este chat.',
  whoami: 'Eres {user} en {platform}, cuenta del bot {account}, chat {chat}{thread} ({kind}).',
  youAreAdmin: ' Eres administrador aquí.',
  linkedWith: ' Enlazado con {accounts}.',
  engineUnknown: 'No hay ningún motor de contexto {name}. {names}',
  engineAlready: 'Esta conversación ya funciona con {name}.',
  engineSame: 'Esta conversación funciona con {name}{why}; nada cambia.',
  engineFromNext:
    'Desde el próximo mensaje esta conversación funciona con {name}{why}. El modelo la lee entonces una vez al precio completo.',
  asServiceSet: ', según la configuración del servicio',
  engineIs: 'Esta conversación funciona con el motor de contexto {engine}.{change} Es {why}. {names}',
  engineNext: ' Desde el próximo mensaje: {name}.',
  serviceSetting: 'la configuración del servicio',
  engineNames: 'Hay: {names}.',
  engineHow: '/engine NOMBRE elige uno, /engine default vuelve a la configuración del servicio.',
  condensedNow:
    'Condensado: {rowsBefore} → {rowsAfter} mensajes, unos {before} → {after} tokens.{how} Las líneas antiguas se pueden seguir buscando.',
  condensedPlain: ' El modelo de resúmenes falló, así que hay un resumen local sencillo en su lugar.',
  condenseAsked: 'Con tu próximo mensaje se pide al modelo que condense primero las partes terminadas.',
  asItWas: '{why} La conversación sigue como estaba.',
  unchangedRecent: 'Aún no hay nada que condensar: todo en la conversación es reciente o ya es un resumen.',
  unchangedModelAsked:
    'El modelo condensa esta conversación él mismo; /compress se lo pide con tu próximo mensaje.',
  unchangedOff: 'Condensar está desactivado aquí; el operador puede cambiarlo.',
  unchangedShort: 'Aún no hay nada que condensar: la conversación todavía es corta.',
  unchangedResting:
    'El último intento no salió bien y la pausa que sigue no ha terminado. Inténtalo en unos minutos.',
  unchangedBreaker: 'Condensar no ayudó las dos últimas veces, así que descansa. Inténtalo en unos minutos.',
  unchangedTooOften:
    'Esta conversación se ha condensado muchas veces en la última hora. Inténtalo más tarde.',
  unchangedTimeout: 'El resumen tardó demasiado. Inténtalo dentro de un rato.',
  unchangedBusy: 'El modelo que escribe resúmenes está ocupado o no responde. Inténtalo dentro de un rato.',
  unchangedSetup:
    'El modelo que escribe resúmenes no se puede usar tal como está configurado. El operador ve por qué en el registro.',
  unchangedSmall:
    'El modelo que escribe resúmenes es demasiado pequeño para leer la parte antigua de esta conversación.',
  unchangedUnusable: 'El modelo no escribió un resumen utilizable. Inténtalo de nuevo.',
  unchangedMoved: 'La conversación cambió mientras tanto. Inténtalo de nuevo.',
  unchangedStopped: 'Se detuvo la condensación.',
  unchangedFailed: 'Esta vez no se pudo condensar. El operador ve por qué en el registro.',
  statusContext: 'Contexto: {percent} % de {window} tokens ({tokens}, {source}).',
  countedByModel: 'contado por el modelo',
  estimated: 'estimado',
  statusNotCondensed: 'Aún no condensado.',
  statusCondensedOnce: 'Condensado una vez; las líneas antiguas se pueden seguir buscando.',
  statusCondensed: 'Condensado {times} veces; las líneas antiguas se pueden seguir buscando.',
  statusModel: 'Modelo: {model}. Motor: {engine}.',
  cachingOff: 'La caché del prompt está desactivada.',
  cachingOn: 'La caché del prompt está activada: {caching}.',
  cachingProvider: 'La caché del prompt queda en manos del proveedor.',
  statusCost:
    'Coste hasta ahora: {dollars} en {calls}{unpriced}; el {cached} % de lo leído vino de la caché.',
  statusUnpriced: ', {count} de ellas sin precio conocido',
  usageNone: 'Aquí no se cuenta el consumo.',
  usageLast: 'Última respuesta: {tokens}.',
  usageAll: 'Esta conversación: {tokens}, {dollars}{unpriced}.',
  usageNoCalls: 'En esta conversación aún no se ha preguntado a ningún modelo.',
  usageTokens: '{calls}, {read} tokens leídos ({cached} % de la caché), {written} escritos',
  usageUnpriced: ' (sin {calls} cuyo precio no se conoce)',
  usageToday: 'Tú hoy: {dollars}{turns} (UTC).',
  usageOf: '{used} de {limit}',
  contextSum: 'Contexto: {tokens} de {window} tokens, {percent} ({source}).',
  contextByPart: 'Por partes, estimado:',
  contextReserve: 'Reservado para la respuesta: {tokens}.',
  contextSystem: 'Prompt del sistema',
  contextWhole: 'Conversación, {messages}, en parte condensada',
  contextHead: 'Inicio, {messages}',
  contextSummaries: 'Resúmenes',
  contextMiddle: 'Centro, {messages}, lo próximo en condensarse',
  contextTail: 'Final, {messages}, se conserva palabra por palabra',
  underDollars: 'menos de {amount}',
  unknownPrice: 'desconocido',
  modelOnly: 'Aquí solo hay un modelo.',
  modelIsDefault: 'predeterminado',
  modelIsHere: 'responde aquí',
  modelFacts: '{tokens} tokens{price}',
  modelPrice: ', {input} por millón de tokens leídos y {output} por millón de tokens escritos',
  modelHowChoices:
    '/model NOMBRE toma uno de ellos para esta conversación, /model default el predeterminado.',
  modelHowAny:
    '/model NOMBRE toma para esta conversación cualquier modelo cuya clave esté configurada; /model default vuelve atrás.',
  modelAlready: '{model} ya responde aquí.',
  modelFromNext: 'Desde el próximo mensaje responde aquí {model}: {facts}.{back}',
  modelGoesBack: ' /model default vuelve atrás.',
  modelReads:
    'Su primera respuesta lee de nuevo toda la conversación al precio completo: unos {tokens} tokens{price}. Volver atrás cuesta lo mismo otra vez.',
  modelUnknownWindow: 'No se sabe nada de este modelo: se supone una ventana de {tokens} tokens.',
  modelSmaller: 'Esta conversación es mayor que su ventana y se condensa antes de que responda.',
  modelNoName: 'Ese no es el nombre de un modelo.',
  modelNotAllowed: 'El operador permite: {names}.',
  modelNotServed: 'Ningún proveedor con clave configurada ofrece {name}.',
  modelUnusable:
    '{name} no se puede usar tal como está configurado. El operador ve el motivo en el registro.',
  modelUnchanged: '{why} No ha cambiado nada; /model muestra lo que hay.',
  previewNothing: 'Vista previa: no cambiaría nada. {why}',
  previewSizes:
    'Vista previa, no ha cambiado nada: {rowsBefore} → {rowsAfter} mensajes, unos {before} → {after} tokens.',
  previewRanges: 'Los mensajes {ranges} quedarían contados en el resumen.',
  previewReads:
    'El modelo de los resúmenes, {model}, leería unos {read} tokens en {calls} y escribiría como mucho {written}.',
  previewPrice: 'Precio: {price}.',
  priceParts: '{summary} por el resumen, {anew} por leer de nuevo {tokens} tokens',
  threadAlone:
    'El propio modelo guarda esta conversación: no hay vista previa ni tema; envía /compress solo.',
  threadNothing: 'El propio modelo guarda esta conversación y aún no tiene nada que condensar.',
  threadFailed: 'El propio modelo guarda esta conversación y no pudo condensarla. Sigue como estaba. {why}',
  threadCondensed:
    'El propio modelo guarda esta conversación y la ha condensado{size}. Cada mensaje aquí sigue como estaba.',
  threadSize: ' a unos {tokens} tokens',
  mayBeRepeat: '(puede ser una repetición)',
  restInFile: 'Esto es solo el principio. La respuesta entera está en el archivo.',
  commandFailed: 'El comando no funcionó. El operador ve el motivo en el registro.',
};
