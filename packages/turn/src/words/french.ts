import { frenchCommands } from './commands/french.ts';
import type { Words } from './words.ts';

export const french: Words = {
  ...frenchCommands,
  failedOverflow:
    'Cette conversation ne tient plus dans le modèle, même condensée. /new ouvre un nouveau chapitre ; rien n’est perdu.',
  failedBusy: 'Le modèle est occupé et n’a pas répondu à temps. Merci de réécrire dans un moment.',
  failedQuota:
    'La limite du compte du modèle est épuisée{until}, je ne peux donc pas répondre maintenant. L’opérateur en est averti dans le journal.',
  forMinutes: ' pour {count} minutes',
  forHours: ' pour environ {count} heures',
  failedSetup:
    'Le modèle ne peut pas être utilisé tel qu’il est configuré. L’opérateur en est averti dans le journal.',
  failedUnreachable: 'Le modèle était injoignable ou s’est interrompu. Merci de réécrire.',
  failedRefused: 'Le modèle a refusé la demande. L’opérateur en est averti dans le journal.',
  failedStopped: 'La réponse a été arrêtée.',
  messageKept: 'Votre message est conservé.',
  droppedOne: ' Un message en attente a été abandonné.',
  droppedMany: ' {count} messages en attente ont été abandonnés.',
  stopped: 'Arrêté.',
  interrupted: 'Arrêté pour votre message plus récent.',
  stopping: 'La réponse est en train d’être arrêtée.',
  nothingRuns: 'Rien n’est en cours.',
  answerIsOver: 'Cette réponse était déjà terminée ; rien n’a été arrêté.',
  buried:
    'Je n’ai pas pu terminer une réponse à votre dernier message après plusieurs essais. Il est conservé ; merci de le renvoyer ou de le reformuler.',
  cut: '(la réponse a atteint sa longueur maximale ; dites « continue » pour la suite)',
  timedOut: 'La réponse a pris trop de temps et a été interrompue. Dites « continue » pour poursuivre.',
  condensing:
    'Un instant : je condense la partie ancienne de notre conversation avant de répondre. Rien n’est perdu.',
  condensed:
    'J’ai condensé la partie ancienne de notre conversation avant de répondre. Rien n’est perdu : je peux toujours tout retrouver.',
  condensedLocally:
    'Notre conversation était devenue longue et son résumé n’a pas pu être écrit à temps. Je continue avec un bref aperçu de la partie ancienne ; rien n’est perdu et je peux toujours tout retrouver.',
  notCondensed:
    'Je n’ai pas pu condenser la partie ancienne de notre conversation ; elle reste telle quelle. Si les réponses ralentissent, envoyez /compress pour réessayer ou /new pour repartir.',
  mainTookOver:
    '{failed}, qui écrit mes résumés, a échoué ; {wrote} a écrit le dernier et relu la partie ancienne de notre conversation au prix fort. Rien n’est perdu.',
  fellBack: '{from} ne répond pas ({why}) ; {to} répond à sa place. {price}',
  cameBack: '{to} est de nouveau essayé à la place de {from}. {price}',
  fullPrice: 'Il relit toute la conversation au prix fort, environ {tokens} tokens.',
  becauseOverflow: 'la conversation n’y tient plus, même condensée',
  becauseBusy: 'il est occupé',
  becauseQuota: 'la limite de son compte est épuisée',
  becauseSetup: 'il ne peut pas être utilisé tel qu’il est configuré',
  becauseUnreachable: 'il est injoignable',
  answersUsedUp:
    'Vos réponses du jour ({limit}) sont épuisées. Le compte repart à minuit UTC. Votre message est conservé.',
  budgetUsedUp:
    'Votre budget du jour ({limit}) est épuisé, je ne peux donc pas répondre maintenant. Il repart à minuit UTC. Votre message est conservé.',
  botBudgetUsedUp:
    'Le budget du jour de ce bot ({limit}) est épuisé, je ne peux donc pas répondre maintenant. Il repart à minuit UTC. Votre message est conservé.',
  answersNearlyUsed: '{used} de vos {limit} réponses du jour sont utilisées.',
  budgetNearlyUsed: '{used} de votre budget du jour ({limit}) sont utilisés ; il reste {left}.',
  botBudgetNearlyUsed: '{used} du budget du jour de ce bot ({limit}) sont utilisés ; il reste {left}.',
  fileTooLarge:
    'J’ai le fichier {name} pour toi, mais il fait {size}, et je ne peux pas envoyer plus de {limit} ici.',
  fileNotTaken: 'J’ai le fichier {name} pour toi, mais il ne peut pas être envoyé ici.',
  menu: {
    new: 'ouvrir un nouveau chapitre ; le reste demeure consultable',
    reset: 'terminer cette session et en ouvrir une autre ; tout demeure consultable',
    stop: 'arrêter la réponse en cours',
    status: 'remplissage du contexte et ce qui est en cours',
    queue: 'ce qui attend derrière la réponse en cours ; avec un mode : ce qu’il en advient',
    compress: 'condenser l’ancien maintenant ; un sujet reste détaillé, --preview regarde seulement',
    model: 'modèles au choix ; avec un nom : l’utiliser ; default : revenir',
    undo: 'reprendre le dernier échange ; avec un nombre : autant',
    retry: 'faire répondre à nouveau à votre dernier message',
    undo_compaction: 'annuler la dernière condensation',
    engine: 'quel moteur garde le contexte petit ; avec un nom : en choisir un autre',
    usage: 'tokens et coût de la dernière réponse, de la conversation et du jour',
    context: 'ce qui remplit la fenêtre du modèle, par partie',
    title: 'le titre de cette conversation ; avec un texte : la nommer',
    sessions: 'conversations ici, récentes d’abord ; avec des mots : chercher un titre',
    resume: 'reprendre une autre de vos conversations : numéro, id ou titre',
    link: 'poursuivre cette conversation depuis votre autre compte',
    unlink: 'séparer à nouveau ce compte des autres',
    forget: 'effacer tout ce qui est connu de vous, après confirmation',
    whoami: 'vos identifiants, pour l’opérateur',
    help: 'cette liste',
  },
};
