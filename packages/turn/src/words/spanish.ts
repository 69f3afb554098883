import { spanishCommands } from './commands/spanish.ts';
import type { Words } from './words.ts';

export const spanish: Words = {
  ...spanishCommands,
  failedOverflow:
    'Esta conversación ya no cabe en el modelo, ni siquiera condensada. /new empieza un capítulo nuevo; no se pierde nada.',
  failedBusy:
    'El modelo está ocupado y no respondió a tiempo. Vuelve a escribir dentro de un rato, por favor.',
  failedQuota:
    'El límite de la cuenta del modelo está agotado{until}, así que ahora no puedo responder. El operador lo verá en el registro.',
  forMinutes: ' durante {count} minutos',
  forHours: ' durante unas {count} horas',
  failedSetup: 'El modelo no se puede usar tal como está configurado. El operador lo verá en el registro.',
  failedUnreachable: 'No se pudo contactar con el modelo o se interrumpió. Escribe de nuevo, por favor.',
  failedRefused: 'El modelo rechazó la petición. El operador lo verá en el registro.',
  failedStopped: 'Se detuvo la respuesta.',
  messageKept: 'Tu mensaje se conserva.',
  droppedOne: ' Se descartó un mensaje en espera.',
  droppedMany: ' Se descartaron {count} mensajes en espera.',
  stopped: 'Detenido.',
  interrupted: 'Detenido por tu mensaje más reciente.',
  stopping: 'Se está deteniendo la respuesta.',
  nothingRuns: 'No hay nada en marcha.',
  answerIsOver: 'Esa respuesta ya había terminado; no se ha detenido nada.',
  buried:
    'No pude terminar una respuesta a tu último mensaje tras varios intentos. Se conserva; envíalo de nuevo o con otras palabras, por favor.',
  cut: '(la respuesta llegó a su límite de longitud; di «sigue» para continuar)',
  timedOut: 'La respuesta tardó demasiado y se terminó. Di «sigue» para continuar.',
  condensing:
    'Un momento: estoy condensando la parte más antigua de nuestra conversación antes de responder. No se pierde nada.',
  condensed:
    'Condensé la parte más antigua de nuestra conversación antes de responder. No se ha perdido nada: puedo seguir consultándolo todo.',
  condensedLocally:
    'Nuestra conversación se había hecho larga y su resumen no estuvo a tiempo. Sigo con un breve esquema de la parte más antigua; no se pierde nada y puedo seguir consultándolo todo.',
  notCondensed:
    'Ahora no pude condensar la parte más antigua de nuestra conversación; queda como está. Si las respuestas se vuelven lentas, envía /compress para intentarlo otra vez o /new para empezar de cero.',
  mainTookOver:
    '{failed}, que escribe mis resúmenes, falló, así que {wrote} escribió el último y leyó otra vez la parte más antigua de nuestra conversación a precio completo. No se pierde nada.',
  fellBack: '{from} no responde ({why}); en su lugar responde {to}. {price}',
  cameBack: 'Se vuelve a probar {to} en lugar de {from}. {price}',
  fullPrice: 'Lee de nuevo toda la conversación a precio completo, unos {tokens} tokens.',
  becauseOverflow: 'la conversación ya no cabe, ni siquiera condensada',
  becauseBusy: 'está ocupado',
  becauseQuota: 'el límite de su cuenta está agotado',
  becauseSetup: 'no se puede usar tal como está configurado',
  becauseUnreachable: 'no se puede contactar con él',
  answersUsedUp:
    'Tus respuestas de hoy ({limit}) se han agotado. La cuenta empieza de nuevo a medianoche UTC. Tu mensaje se conserva.',
  budgetUsedUp:
    'Tu presupuesto de hoy ({limit}) está agotado, así que ahora no puedo responder. Empieza de nuevo a medianoche UTC. Tu mensaje se conserva.',
  botBudgetUsedUp:
    'El presupuesto de hoy de este bot ({limit}) está agotado, así que ahora no puedo responder. Empieza de nuevo a medianoche UTC. Tu mensaje se conserva.',
  answersNearlyUsed: 'Has usado {used} de tus {limit} respuestas de hoy.',
  budgetNearlyUsed: 'Has usado {used} de tu presupuesto de hoy ({limit}); quedan {left}.',
  botBudgetNearlyUsed: 'Se han usado {used} del presupuesto de hoy de este bot ({limit}); quedan {left}.',
  fileTooLarge: 'Tengo el archivo {name} para ti, pero ocupa {size} y aquí no puedo enviar más de {limit}.',
  fileNotTaken: 'Tengo el archivo {name} para ti, pero no se puede enviar aquí.',
  menu: {
    new: 'empezar un capítulo nuevo; lo anterior sigue localizable',
    reset: 'terminar esta sesión y empezar otra; todo sigue localizable',
    stop: 'detener la respuesta en curso',
    status: 'lo lleno que está el contexto y qué se ejecuta',
    queue: 'lo que espera tras la respuesta en curso; con un modo: qué se hace con ello',
    compress: 'condensar ahora lo anterior; un tema se conserva en detalle, --preview solo mira',
    model: 'modelos disponibles; con un nombre: usarlo; default: volver',
    undo: 'retirar el último intercambio; con un número: los últimos tantos',
    retry: 'volver a responder tu último mensaje',
    undo_compaction: 'deshacer la última condensación',
    engine: 'qué motor mantiene pequeño el contexto; con un nombre: elegir otro',
    usage: 'tokens y coste de la última respuesta, de la conversación y de tu día',
    context: 'qué llena la ventana del modelo, por partes',
    title: 'cómo se llama esta conversación; con un texto: nombrarla',
    sessions: 'conversaciones de aquí, las nuevas primero; con palabras: buscar un título',
    resume: 'seguir con otra de tus conversaciones: número, id o título',
    link: 'seguir esta conversación desde tu otra cuenta',
    unlink: 'volver a separar esta cuenta de las demás',
    forget: 'borrar todo lo que se sabe de ti, tras confirmarlo',
    whoami: 'tus ids, para el operador',
    help: 'esta lista',
  },
};
