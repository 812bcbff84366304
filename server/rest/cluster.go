package rest

import (
	"context"
	"net/http"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
)

// Cluster is how the nodes of a radio are doing, and who decides.
type Cluster interface {
	Status(ctx context.Context) (wire.Cluster, error)
	// Move has another node decide about a radio. It returns when that node does.
	Move(ctx context.Context, radio, node string) (wire.ClusterMoved, error)
}

var errAlone = &core.Error{Kind: core.Conflict, Message: "This service is alone: it belongs to no cluster (Config.cluster, or serve --cluster)"}

func (h *Handler) cluster(w http.ResponseWriter, r *http.Request, _ caller) error {
	var out wire.ClusterStatus
	if h.o.Cluster != nil {
		is, err := h.o.Cluster.Status(r.Context())
		if err != nil {
			return err
		}
		out.Cluster = &is
	}
	reply.JSON(w, http.StatusOK, out)
	return nil
}

// clusterMove is audited whether it succeeds or not.
func (h *Handler) clusterMove(w http.ResponseWriter, r *http.Request, by caller) error {
	ctx, cancel := context.WithTimeout(r.Context(), commandTimeout)
	defer cancel()
	step, err := h.decide(ctx, w, r, "POST /api/cluster/move", by)
	if err != nil {
		return err
	}
	if h.o.Cluster == nil {
		return errAlone
	}
	ask := step.Body.(*wire.ClusterMove)
	detail := map[string]any{"radio": ask.Radio, "node": ask.Node}
	moved, err := h.o.Cluster.Move(ctx, ask.Radio, ask.Node)
	if err != nil {
		detail["error"] = describe(err).Message
	} else {
		detail["from"], detail["epoch"] = moved.From, moved.Epoch
	}
	h.note(r, "cluster.move", "master token", detail)
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, moved)
	return nil
}
