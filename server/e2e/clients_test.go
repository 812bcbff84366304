package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"squelch/server/testpeers"
)

// patience ends a wait that would otherwise last forever; nothing is measured with
// it.
const patience = 2 * time.Minute

// client keeps no connection alive, so that none of its goroutines outlives a call.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// scenarios must all have run: a story that does not run proves nothing. They are in
// server/testpeers/e2e-*.mjs.
var scenarios = []string{
	"legacyTalking", "structuredTalkingWithOverride", "twoTalkersOnOneChannel", "panicAndAcknowledgement",
	"patchBetweenTwoChannels", "followAUser", "nearbyListeners", "moveOnTheTrunk", "kickAUnit",
	"unknownEventsAreIgnored", "trailingZeros", "scanningIsIdempotent", "alertsByUnitsAndDispatch", "theRadioOfAUnit",
	"voiceArrivesByteIdentical", "loopbackHearsItself", "webmBlobsOfLegacyClients", "voiceWithoutTheFloorIsDropped",
	"voiceThatIsTooLarge", "severalTalksOfOneConsole",
	"masterTokenThenSession", "masterTokenWithoutSession", "namedByTheSessionsCallsign", "linkingASessionTakesItsIdBack",
	"twoDispatchersWhoBothAskForMinusOne", "reconnectWithTheSameSession", "theSameSessionTwiceAlive",
	"aReissuedSessionIsTheSameDispatcher", "reauthOnEveryReconnect", "aBotOfTheMasterTokenChangesItsSession", "logoutEndsAllSessionsOfTheLogin",
	"recoveryReplaysWhatWasMissed", "aGoodbyeEndsAtOnce", "aPlayersNewestConnectionWins", "credentialsThatAreNoGood",
	"namingASocketDisturbsNobody", "nobodyTakesUpAnothersSocket", "recoveredMeansAsBefore", "whatATakenPlaceWas",
	"aKickedOrDroppedUserIsNotRecovered", "aRestartedBotIsItselfAgain", "aFreshClientIsNotKeyed", "goodbyeAndBackAtOnce",
	"manyEventsInOneGoAreHandledInOrder",
	"aKeyTalksAndListens", "aListeningKeyMayNotTalk", "aKeysCallsAreThoseOfItsDispatcher", "aRestartedBotWithAKeyIsItselfAgain",
	"aRevokedKeyIsGoneAtOnce", "aKeyForTheGameIsNoDispatcher",
}

// longOnes run over one transport only.
var longOnes = map[string]string{"websocket": "aCrowdAtTheKeys", "polling": "broadcastsArriveCompleteAndInOrder"}

func TestRealClients(t *testing.T) {
	for _, transport := range []string{"websocket", "polling", "upgrade"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			peer := testpeers.Node(t, "e2e-clients.mjs", s.url, transport)
			line, _ := peer.Line(1)
			var seen map[string]string
			if err := json.Unmarshal([]byte(line), &seen); err != nil {
				t.Fatalf("%v in %q\n%s", err, line, peer.Stderr())
			}
			want := scenarios
			if long := longOnes[transport]; long != "" {
				want = append(slices.Clone(scenarios), long)
			}
			for _, name := range want {
				t.Run(name, func(t *testing.T) {
					if seen[name] != "ok" {
						t.Errorf("%s\n%s", seen[name], s.Stderr())
					}
				})
			}
			if len(seen) != len(want) {
				t.Errorf("%d scenarios were gone through, %d are listed", len(seen), len(want))
			}
			s.stop()
			if report := s.auditVerify(); !strings.Contains(report, `"ok":true`) {
				t.Errorf("audit: %s", report)
			}
		})
	}
}
